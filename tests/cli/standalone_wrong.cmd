weft standalone ../../examples/standalone.py
