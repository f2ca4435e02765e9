weft check ../../examples/saxpy.py --sorted a
