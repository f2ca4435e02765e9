weft extract missing.py
