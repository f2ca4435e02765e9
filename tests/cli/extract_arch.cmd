kernels='import warp as wp


@wp.kernel
def product(a: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    x = wp.tile_load(a, shape=(8, 8))
    wp.tile_store(c, wp.tile_matmul(x, x))


@wp.kernel
def transform(a: wp.array2d(dtype=wp.vec2f)):
    t = wp.tile_load(a, shape=(1, 64))
    wp.tile_fft(t)
    wp.tile_store(a, t)
'
echo "$kernels" | weft extract - -k product --arch 90 --no-backward
echo "$kernels" | weft extract - -k product --arch 90 --no-backward --warp 1.16 | grep dot
echo "$kernels" | weft extract - -k product --arch 90 --no-backward -d both | grep -c dot
echo "$kernels" | weft extract - -k product -d cpu --arch 90
echo "$kernels" | weft extract - -k product --arch 9
echo "$kernels" | weft extract - -k transform --arch 90
echo "$kernels" | weft extract - -k transform --arch 90 --block-dim 32
