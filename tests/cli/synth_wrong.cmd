weft synth -c vector,poetry
