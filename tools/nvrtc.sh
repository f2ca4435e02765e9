#!/bin/sh
# tools/nvrtc.sh COMMAND...: runs a command that finds NVRTC, CUDA's compiler: the system's, or else pip's, in an environment of its own.
# Where neither is to be had, the command runs without.
set -eu
here=$(dirname "$0")

if ! python3 -c 'import ctypes; ctypes.CDLL("libnvrtc.so")' 2>/dev/null; then
    if python=$("$here/loaders.sh" nvrtc); then
        folder=$("$here/../$python" -c 'import nvidia.cuda_nvrtc as package; print(package.__path__[0] + "/lib")')
        LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        export LD_LIBRARY_PATH
    else
        echo "tools/nvrtc.sh: tests that compile CUDA will be skipped" >&2
    fi
fi
exec "$@"
