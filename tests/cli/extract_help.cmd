weft extract --help
