weft extract ../golden/errors.py -d cuda > /dev/null
