weft extract ../projects/golden/src/fluid/kernels/__init__.py --json --no-backward | grep -o '"full_name": "[^"]*"'
