weft --help
