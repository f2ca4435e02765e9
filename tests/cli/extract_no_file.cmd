weft extract
