weft extract ../../examples/saxpy.py --warp 1.19.0 -d cpu
