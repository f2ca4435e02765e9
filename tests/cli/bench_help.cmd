weft bench --help
