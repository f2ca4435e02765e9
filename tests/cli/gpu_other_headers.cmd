out=$(mktemp -d)
mkdir -p "$out/native"
touch "$out/native/builtin.h"
weft gpu --cpu --generate 1 --warp 1.19 --warp-include "$out" 2>&1 | sed "s|$out|OUT|"
echo '#define WP_VERSION_STRING "1.16.0"' > "$out/native/version.h"
weft gpu --cpu --generate 1 --warp 1.19 --warp-include "$out" 2>&1 | sed "s|$out|OUT|"
rm -r "$out"
