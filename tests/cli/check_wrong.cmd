weft check tests/gradients/wrong.py -k square_in_place
