weft extract ../../examples/saxpy.py -o /nonexistent/x
