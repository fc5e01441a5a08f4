# cubins.mk - compiles the kernels of the tests: make -C tests/exec -f cubins.mk, with nvcc of CUDA 13
kernels.fatbin: kernels.cu
	nvcc $(foreach v,75 80 86 89 90 120,-gencode arch=compute_$v,code=sm_$v) --compress-mode=size -fatbin -o $@ $<
