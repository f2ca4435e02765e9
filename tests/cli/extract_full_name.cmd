weft extract ../../examples/saxpy.py --kernel=saxpy_2f51673c --no-backward
