weft extract ../../examples/saxpy.py -k saxpy --json --no-backward
