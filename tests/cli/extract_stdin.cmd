weft extract - -k saxpy --no-backward < ../../examples/saxpy.py
