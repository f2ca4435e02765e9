#!/bin/sh
# tools/loaders.sh [VERSION | trainers | torch | ray | rl | rl-torch | nvrtc]: an environment with the tools that read data sets, newest versions; or with
# one version of `datasets` alone; or with TRL and verl, as far as they go without torch; or with torch, Ray, NVRTC, or what weft.rl is for. Prints the path of
# its Python. Exits 1, with a word why, if it cannot be made (no network, say).
set -eu
cd "$(dirname "$0")/.."

folder=.venv-loaders${1:+-$1}
alone=
case ${1:-} in
    '') wanted="datasets pandas pyarrow polars duckdb jsonschema zstandard" ;;
    trainers)
        wanted="datasets huggingface_hub tokenizers safetensors regex omegaconf jinja2 pillow"
        alone="trl verl transformers accelerate" # without what they depend on: torch is 3 GB, and nothing is trained
        ;;
    torch) wanted="torch torchdata numpy" ;;
    ray) wanted="ray" ;;
    rl) # what weft.rl has adapters for; TRL and verl as sources alone
        wanted="verifiers>=0.4 inspect-ai"
        alone="trl verl"
        ;;
    rl-torch)
        wanted="torch trl ray tensordict omegaconf hydra-core codetiming aiohttp orjson"
        alone="verl"
        ;;
    nvrtc) wanted="nvidia-cuda-nvrtc-cu12" ;;
    2.* | 3.*) wanted="datasets==$1 zstandard fsspec[http] pyarrow<20 numpy<2" ;;
    *) wanted="datasets==$1 zstandard fsspec[http]" ;;
esac
if [ "$wanted $alone" != "$(cat "$folder/.installed" 2>/dev/null)" ]; then
    python3 -m venv "$folder" || { echo "tools/loaders.sh: python3 -m venv failed" >&2; exit 1; }
    # shellcheck disable=SC2086 # one word per package
    if ! { "$folder/bin/python" -m pip install --quiet --disable-pip-version-check $wanted &&
        { [ -z "$alone" ] || "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps $alone; }; }; then
        rm -rf "$folder"
        echo "tools/loaders.sh: pip could not install $wanted $alone (is there a network?)" >&2
        exit 1
    fi
    echo "$wanted $alone" >"$folder/.installed"
fi
echo "$folder/bin/python"
