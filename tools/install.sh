#!/bin/sh
# Installs the system packages that are missing for one purpose, and nothing when all are there.
#
#   tools/install.sh build|test|wheel|web|web-test|site|fuzz|cov|format
#
# For Debian and Ubuntu (apt). Elsewhere, or without the right to install, it says what is missing. On a terminal it asks
# first; without one, and in CI, it goes on.
set -eu

purpose=${1:-build}

# "what to look for : package that brings it". A name with a slash or a dot is looked up with
# `cc`'s own include search or as a file; a plain word is a command.
needs_build='cc:gcc cmake:cmake ninja:ninja-build make:make stdio.h:libc6-dev
zstd.h:libzstd-dev xxhash.h:libxxhash-dev jansson.h:libjansson-dev'
needs_http=microhttpd.h:libmicrohttpd-dev # weft judge --listen; the library is opened at run time
needs_test="$needs_build $needs_http python3:python3 python3-venv:python3-venv python3-dev:python3-dev zstd:zstd mandoc:mandoc
groff:groff-base fish:fish zsh:zsh patch:patch cmocka.h:libcmocka-dev g++:g++ bwrap:bubblewrap"
needs_web="$needs_build python3:python3 emcc:emscripten /usr/share/javascript/codemirror:libjs-codemirror"
case $purpose in
build) needs="$needs_build $needs_http" ;;
test) needs=$needs_test ;;
wheel) needs="$needs_build python3:python3 python3-venv:python3-venv python3-dev:python3-dev" ;;
web) needs=$needs_web ;;
web-test) needs="$needs_web node:nodejs chromium:chromium python3-venv:python3-venv" ;;
site) needs="$needs_web /usr/lib/python3/dist-packages/markdown:python3-markdown" ;;
fuzz) needs="$needs_build clang:clang clang-fuzzer:libclang-rt-dev" ;;
cov) needs="$needs_test gcovr:gcovr" ;;
format) needs='clang-format:clang-format' ;;
*)
    echo "usage: tools/install.sh build|test|wheel|web|web-test|site|fuzz|cov|format" >&2
    exit 2
    ;;
esac

has_header() {
    compiler=cc
    command -v cc >/dev/null 2>&1 || return 1
    echo "#include <$1>" | $compiler -E -x c - -include stdarg.h -include stddef.h -include stdint.h \
        -include setjmp.h >/dev/null 2>&1
}

can_fuzz() { # the sanitizer runtimes are a package of their own on most releases
    command -v clang >/dev/null 2>&1 || return 1
    runtime=$(clang --print-file-name="libclang_rt.fuzzer-$(uname -m).a")
    [ -e "$runtime" ] || [ -e "$(clang --print-file-name=libclang_rt.fuzzer.a)" ]
}

has_python_header() {
    headers=$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null) && [ -e "$headers/Python.h" ]
}

is_there() {
    case $1 in
    python3-venv) command -v python3 >/dev/null 2>&1 && python3 -c 'import ensurepip, venv' 2>/dev/null ;;
    python3-dev) has_python_header ;;
    clang-fuzzer) can_fuzz ;;
    /*) [ -e "$1" ] ;;
    *.h) has_header "$1" ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

missing_packages() {
    packages=
    for need in $needs; do
        is_there "${need%%:*}" || packages="$packages ${need#*:}"
    done
    echo "${packages# }"
}

give_up() {
    echo "tools/install.sh: $1" >&2
    echo "  needed for '$purpose', please install: $packages" >&2
    exit 1
}

packages=$(missing_packages)
[ -z "$packages" ] && exit 0

command -v apt-get >/dev/null 2>&1 || give_up "this system has no apt-get"
as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || give_up "not root, and there is no sudo"
    as_root=sudo
fi

apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o Acquire::Retries=2 "$@"
}

echo "tools/install.sh: for '$purpose', to be installed with ${as_root:+$as_root }apt-get: $packages"
if [ -t 0 ] && [ -t 1 ] && [ -z "${CI:-}" ]; then # somebody is there to ask
    printf 'Install them now? [Y/n] '
    read -r answer
    case $answer in
    '' | [Yy]*) ;;
    *) give_up "nothing was installed" ;;
    esac
fi
apt update || give_up "apt-get update failed (is there a network?)"

# Older releases keep the fuzzer runtime in a package of clang's own version.
case " $packages " in
*" libclang-rt-dev "*)
    if ! apt-cache show libclang-rt-dev >/dev/null 2>&1; then
        version=$(apt-cache depends clang | sed -n 's/.*Depends: clang-\([0-9]*\).*/\1/p' | head -n 1)
        packages=$(echo "$packages" | sed "s/libclang-rt-dev/libclang-common-$version-dev/")
    fi
    ;;
esac
# shellcheck disable=SC2086 # a list of words
apt install --yes --no-install-recommends $packages >/dev/null || give_up "apt-get install failed"

packages=$(missing_packages)
[ -z "$packages" ] || give_up "still missing after the installation"
