weft produce --help
