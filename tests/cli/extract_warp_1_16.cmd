weft extract ../../examples/saxpy.py --warp 1.16.0 -d cpu
