#!/bin/sh
# tools/pack_fuzz.sh BUILD_DIR FILES_BUILD_DIR OUT
# A folder to fuzz with on another machine, without compiler, network or this repository: OUT/fuzz.tar.gz, with the targets, the
# libraries they need (but for the C library, which must not be older there) and seeds, and OUT/run.sh (tools/fuzz_here.sh).
set -eu
build=$1 files=$2 out=$3
stage=$out/stage

rm -rf "$stage"
mkdir -p "$stage/lib"
cp "$build"/fuzz_[a-z]* "$files/mutate_files" fuzz/kernel.dict "$stage"
strip --strip-debug "$stage"/fuzz_* "$stage/mutate_files" # names of functions stay in the reports
for library in $(ldd "$files/mutate_files" | awk '$3 ~ /^\// { print $3 }'); do
    case $(basename "$library") in
    libc.so* | libm.so* | libdl.so* | libpthread.so* | librt.so* | libresolv.so* | ld-linux*) ;;
    *) cp -L "$library" "$stage/lib" ;;
    esac
done
tools/fuzz_seeds.sh "$files/weft" "$stage/seeds"
tools/fuzz_data_seeds.sh "$files/weft" "$stage/own_seeds"
rm -rf "$stage/own_seeds/sets"
if [ -d fuzz/seeds ]; then cp -r fuzz/seeds/. "$stage/own_seeds"; fi
tar -C "$stage" -cf - . | gzip -6 >"$out/fuzz.tar.gz"
key=$(sha256sum <"$out/fuzz.tar.gz" | cut -c1-12)
rm -rf "$stage"
sed "s/@KEY@/$key/" tools/fuzz_here.sh >"$out/run.sh"
chmod +x "$out/run.sh"
du -sh "$out" | cut -f1
