# make builds and `make run` runs on a GPU; `make cpu` does both without one.
NAME = KERNEL
ARCH ?= sm_90
NVCC ?= nvcc
CXX ?= g++
# Without contracted multiply-adds, results are the same on CPU and GPU but for the functions of the library.
NVCCFLAGS ?= -std=c++17 -O2 -arch=$(ARCH) -fmad=false -Xcompiler -Wall
CXXFLAGS ?= -std=c++17 -O1 -Wall -ffp-contract=off

$(NAME): $(NAME).cu
	$(NVCC) $(NVCCFLAGS) $< -o $@

$(NAME).ptx: $(NAME).cu
	$(NVCC) $(NVCCFLAGS) -ptx $< -o $@

$(NAME)_cpu: $(NAME).cu weft_cpu_shim.h weft_math.cuh
	$(CXX) $(CXXFLAGS) -x c++ $< -o $@ -lm

run: $(NAME)
	./$(NAME)

cpu: $(NAME)_cpu
	./$(NAME)_cpu

clean:
	rm -f $(NAME) $(NAME).ptx $(NAME)_cpu

.PHONY: run cpu clean
