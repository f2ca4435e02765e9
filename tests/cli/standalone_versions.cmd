out=$(mktemp -d)
cat >"$out/k.py" <<'END'
import warp as wp


@wp.kernel
def divide(a: wp.array(dtype=int), b: wp.array(dtype=wp.uint32), out: wp.array(dtype=int)):
    i = wp.tid()
    out[i] = a[i] // -4 + wp.int32(b[i] // wp.uint32(3))
END
for version in 1.17 1.18; do
    weft standalone "$out/k.py" -o "$out/$version" --warp $version -q
    grep -o '"warp_version": "[^"]*"' "$out/$version/divide/"*.json
    sed -n '/floor_div(/,/^}/p' "$out/$version/divide/divide.cu"
    grep ' out\[i\] = ' "$out/$version/divide/divide.cu"
done
rm -r "$out"
