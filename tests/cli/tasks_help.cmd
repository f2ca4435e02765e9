weft tasks --help
weft tasks --list
