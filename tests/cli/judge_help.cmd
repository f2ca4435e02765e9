weft judge --help
