weft synth --help
