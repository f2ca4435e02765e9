weft extract --frob x.py
