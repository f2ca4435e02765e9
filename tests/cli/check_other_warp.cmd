weft check ../../examples/saxpy.py --warp 1.19
