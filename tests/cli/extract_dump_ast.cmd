weft extract ../../examples/saxpy.py --dump ast
