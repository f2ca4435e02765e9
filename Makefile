# A thin front for CMake: see `make help`. Presets and options are in CMakePresets.json and CMakeLists.txt.
WEFT_WERROR ?= OFF
FUZZ_SECONDS ?= 60
SEED ?= 1
PAIRS ?= 1000
# The versions of Warp that weft is compared with, newest first
WARPS ?= 1.19.0 1.18.0 1.17.0 1.16.0
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

build = cmake --preset $(1) -DWEFT_WERROR=$(WEFT_WERROR) >/dev/null && cmake --build --preset $(1) -j $(JOBS)

.PHONY: help run examples build test asan tsan cov fuzz fuzz-files fuzz-pack mutants mutants-sample conformance live-conformance loaders bench format-check prose-check clean install wheel wheel-test web web-test site real-benchmark traits teach-pack teach-score
.DEFAULT_GOAL := help

help:
	@echo 'make run           build weft, produce $(PAIRS) verified pairs in data/production, print their statistics'
	@echo 'make examples      compile the kernels of examples/ into build/examples/'
	@echo 'make build         build/weft, the command'
	@echo 'make test          install what the tests need, run them all'
	@echo 'make conformance   compare with Warp itself, each version: the golden set and Warp'"'"'s own kernels; writes docs/lab/conformance.md'
	@echo '                   (WARP=1.19.0: that version only)'
	@echo 'make live-conformance  the same for kernel objects in a running program, through the Python package (part of the above)'
	@echo 'make loaders       COUNT=$(or $(COUNT),5000) records in both formats, read by four versions of datasets and by other tools; exports, by TRL and verl; streams, by torch'
	@echo 'make synth-report  how varied and how realistic 20,000 invented kernels are'
	@echo 'make real-benchmark  kernels of public packages, pinned, with tasks: build/real-benchmark (docs/how-to/teach.md)'
	@echo 'make traits        what real kernels have that invented ones lack, side by side (of the development projects)'
	@echo 'make teach-pack    what a machine with a GPU needs to train on the data and to answer tasks (ARMS=all KINDS=python-to-readable SEEDS=1)'
	@echo 'make teach-score   judge the answers that came back in ANSWERS=build/teach/answers: pass rates, and why answers fail'
	@echo 'make bench         time weft and Warp on the same kernels'
	@echo 'make asan          the tests under AddressSanitizer and UndefinedBehaviorSanitizer (make tsan: threads)'
	@echo 'make fuzz          run every fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS) each'
	@echo 'make fuzz-files    COUNT=$(or $(COUNT),2000) mutated files through extract, check and standalone, under the sanitizers (SEED=$(SEED))'
	@echo 'make fuzz-pack     build-fuzz/pack: a folder to fuzz with on another machine'
	@echo 'make mutants       small faults in the sources, one at a time (COUNT=$(or $(COUNT),300) SEED=$(SEED)): do the tests notice?'
	@echo 'make mutants-sample  the same for a fixed sample of 60, with the quick tests'
	@echo 'make cov           line coverage of the tests'
	@echo 'make format-check  is all C formatted as .clang-format says?'
	@echo 'make prose-check   does the English of pages, comments and help texts follow docs/explanation/english.md? (part of make test)'
	@echo 'make install       the command, its manual pages, libweft and weft.h (PREFIX=/usr/local)'
	@echo 'make wheel         the Python package, with the command in it: build/dist/weft_cuda-….whl (docs/reference/python.md)'
	@echo 'make wheel-test    the same, installed alone into a fresh environment and used'
	@echo 'make web           the playground, weft in a web page: build/playground, for any file server (docs/reference/playground.md)'
	@echo 'make web-test      the same, compared with the command and used in headless Chromium'
	@echo 'make site          the documentation with the playground as a small site: build/site'
	@echo 'make clean         remove what was built (Warp'"'"'s answers in build/oracle-cache and .venv stay)'
	@echo 'Options: JOBS=$(JOBS) PAIRS=$(PAIRS) WEFT_WERROR=$(WEFT_WERROR)'

build:
	@tools/install.sh build
	@$(call build,default) --target weft

# The same command continues what was interrupted, and leaves alone what is complete.
run: build
	@build/weft produce -n $(PAIRS) -o data/production --resume || { echo 'make run: remove data/production for a new one' >&2; exit 1; }
	@build/weft stats data/production

examples: build
	@tools/run_examples.sh build/weft build/examples

test:
	@tools/install.sh test
	@tools/venv.sh || echo 'make test: tests that need Warp will be skipped'
	@for v in $(WARPS); do tools/venv.sh $$v || echo "make test: tests that need Warp $$v will be skipped"; done
	@$(call build,default)
	@if tools/install.sh web-test; then $(MAKE) --no-print-directory web; else echo 'make test: tests of the playground will be skipped'; fi
	@tools/nvrtc.sh tools/run_ctest.sh build $(JOBS)

asan tsan:
	@tools/install.sh test
	@$(call build,$@)
	@tools/run_ctest.sh build-$@ $(JOBS) -L 'unit|gold|cli|prompt|pinned|sanitized'

cov:
	@tools/install.sh cov
	@$(call build,cov)
	@tools/run_ctest.sh build-cov $(JOBS) -L 'unit|gold|cli|prompt|pinned|sanitized'
	@gcovr --root . --filter src/ --filter cli/ --object-directory build-cov --print-summary build-cov

fuzz:
	@tools/install.sh fuzz
	@$(call build,fuzz)
	@tools/run_fuzz.sh build-fuzz $(FUZZ_SECONDS)

fuzz-files:
	@tools/install.sh fuzz
	@$(call build,files) --target weft mutate_files
	@tools/fuzz_seeds.sh build-files/weft build-files/seeds
	@build-files/mutate_files -n $(or $(COUNT),2000) -s $(SEED) -j $(JOBS) -k build-files/findings build-files/seeds/*.py

fuzz-pack:
	@tools/install.sh fuzz
	@$(call build,fuzz)
	@$(call build,files) --target weft mutate_files
	@rm -rf build-fuzz/pack
	@tools/pack_fuzz.sh build-fuzz build-files build-fuzz/pack

# The same command continues what was interrupted; other sources or another sample begin anew.
mutants:
	@tools/install.sh test
	@tools/venv.sh || echo 'make mutants: tests that need Warp are left out'
	@python3 tools/mutants.py --seed $(SEED) --count $(or $(COUNT),300) --jobs $(JOBS) --at-least 95

mutants-sample:
	@tools/install.sh test
	@python3 tools/mutants.py --seed 60 --count 60 --jobs $(JOBS) --dir build/mutants-sample --slowest 20 --at-least 90

conformance: build
	@tools/install.sh test
	@for v in $(or $(WARP),$(WARPS)); do tools/venv.sh $$v || exit 1; done
	@python3 tools/conformance.py --jobs $(JOBS) $(if $(WARP),--warp $(WARP))
	@$(MAKE) --no-print-directory live-conformance

# Kernel objects in a running program, through the Python package.
live-conformance: build
	@cmake --build build --target weft_python
	@for v in $(or $(WARP),$(firstword $(WARPS)) $(lastword $(WARPS))); do tools/venv.sh $$v && \
	    $$(tools/venv.sh --python $$v) tools/live_conformance.py --launches --page --jobs $(JOBS) --at-least 97 || exit 1; done

loaders: build
	@python3 tests/python/test_loaders.py -n $(or $(COUNT),5000) --versions 2.21.0 3.6.0 4.0.0 newest --trainers
	@python3 tests/python/test_rl.py --torch
	@python3 tests/python/test_data.py --torch

bench: build
	@tools/install.sh test
	@tools/venv.sh
	@python3 tools/bench.py
	@python3 tools/bench_start.py
	@python3 tools/bench_produce.py
	@cmake --build build --target weft_python
	@$$(tools/venv.sh --python) tools/bench_live.py
	@build/weft bench verify -n 3000 -s 1

synth-report: build
	@build/weft synth -n 20000 -s 1 --json -o build/synth.jsonl
	@python3 tools/measure.py build/synth.jsonl
	@python3 tools/meaning.py build/synth.jsonl
	@build/weft bench synth -n 20000 -s 1

real-benchmark: build
	@tools/venv.sh
	@python3 tools/teach/benchmark.py

teach-pack: build
	@[ -e build/real-benchmark/benchmark.json ] || $(MAKE) --no-print-directory real-benchmark
	@python3 tools/teach/pack.py --arms $(or $(ARMS),all) --kinds $(or $(KINDS),python-to-readable) --seeds $(or $(SEEDS),1)

teach-score: build
	@python3 tools/teach/score.py $(or $(ANSWERS),build/teach/answers)

traits: build
	@[ -e build/real-benchmark/benchmark.json ] || $(MAKE) --no-print-directory real-benchmark
	@rm -rf build/traits && build/weft produce -n 10000 -s 37003 --no-verify --launches 0 --no-backward --no-compress -o build/traits -q
	@python3 tools/teach/traits.py build/real-benchmark/set build/traits --benchmark build/real-benchmark/benchmark.json

format-check:
	@tools/install.sh format
	@find src cli include python tests fuzz -name '*.[ch]' -print0 | xargs -0r clang-format --dry-run -Werror
	@echo 'format: ok'

prose-check:
	@python3 tools/prose_check.py

install: build
	@cmake --build build --target manual weft_shared weft_static
	@cmake --install build --prefix $(or $(PREFIX),/usr/local)

wheel:
	@tools/install.sh wheel
	@tools/wheel.sh

wheel-test: wheel
	@python3 tools/check_wheel.py

web:
	@tools/install.sh web
	@cmake --preset default >/dev/null && cmake --build build --target generated -j $(JOBS)
	@emcmake cmake -S web -B build/web -G Ninja -DWEFT_GENERATED=$(CURDIR)/build/generated >/dev/null
	@cmake --build build/web -j $(JOBS)
	@python3 tools/web_page.py build/web/weft.wasm build/playground

web-test: build web
	@tools/install.sh web-test
	@python3 tests/web/test_engine.py
	@python3 tests/web/test_playground.py --all
	@python3 tests/web/test_report.py --all

site: web
	@tools/install.sh site
	@python3 tools/site.py build/playground build/site

clean:
	@rm -rf build-asan build-tsan build-fuzz build-files build-cov
	@if [ -d build ]; then find build -mindepth 1 -maxdepth 1 ! -name oracle-cache -exec rm -rf {} +; fi
