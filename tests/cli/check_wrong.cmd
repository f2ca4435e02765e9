weft check ../gradients/wrong.py -k square_in_place
