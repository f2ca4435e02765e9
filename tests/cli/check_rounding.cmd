weft check ../evaluators/rounding.py -k direction_of_a_residual; weft check ../evaluators/rounding.py -k well_conditioned
