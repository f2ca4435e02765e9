weft validate --help
