weft --version
