weft extract ../../examples/saxpy.py -k
