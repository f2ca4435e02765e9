weft check ../evaluators/atomic_results.py --range count=0,0 --no-example
