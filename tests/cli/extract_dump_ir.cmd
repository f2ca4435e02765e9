weft extract ../../examples/particles.py --dump=ir
