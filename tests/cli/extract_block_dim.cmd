weft extract ../tiles/tiles_golden.py -k thread_values --block-dim 64 --no-backward
