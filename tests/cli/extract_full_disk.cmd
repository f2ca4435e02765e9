weft extract ../../examples/saxpy.py > /dev/full
