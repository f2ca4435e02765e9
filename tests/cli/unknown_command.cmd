weft frobnicate
