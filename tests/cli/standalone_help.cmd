weft standalone --help
