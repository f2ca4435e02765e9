weft extract ../../examples/saxpy.py -k saxpy -d both
