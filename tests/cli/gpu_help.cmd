weft gpu --help
