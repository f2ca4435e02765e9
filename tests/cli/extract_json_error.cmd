weft extract ../errors/undefined_name.py --json
