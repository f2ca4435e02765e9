out=$(mktemp -d)
cat >"$out/k.py" <<'END'
import warp as wp


@wp.struct
class Params:
    x: wp.array(dtype=float)


@wp.kernel(entry_point_abi="external_constant_params", enable_backward=False)
def by_constant(p: Params):
    p.x[0] = 1.0


@wp.kernel(entry_point_abi="warp")
def usual(x: wp.array(dtype=float)):
    x[0] = 1.0
END
cd "$out"
for version in 1.16 1.19; do
    weft extract k.py --warp $version 2>&1 | grep -o 'error: .*\|void usual[^(]*'
done
rm -r "$out"
