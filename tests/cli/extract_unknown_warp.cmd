weft extract ../../examples/saxpy.py --warp 1.15
