weft mutate --help
