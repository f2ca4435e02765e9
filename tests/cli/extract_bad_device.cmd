weft extract -d gpu ../../examples/saxpy.py
