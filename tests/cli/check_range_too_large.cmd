weft check ../../examples/saxpy.py --range x=1e38,1e39
