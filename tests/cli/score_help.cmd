weft score --help
