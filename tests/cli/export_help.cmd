weft export --help
weft export --list
