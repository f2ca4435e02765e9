weft extract ../../examples/saxpy.py --dump=x
