# cubins.mk - compiles the kernels of the tests: make -C tests/exec -f cubins.mk, with nvcc of CUDA 13
LINKED = 80 90 120
all: cluster.fatbin faults.fatbin found.fatbin graph.fatbin hopper.fatbin kernels.fatbin linked.fatbin linked_lz4.fatbin tensor.fatbin textures.fatbin
textures.fatbin kernels.fatbin: %.fatbin: %.cu
	nvcc $(foreach v,75 80 86 89 90 120,-gencode arch=compute_$v,code=sm_$v) --compress-mode=size -fatbin -o $@ $<
linked.fatbin: $(LINKED:%=linked_%.cubin)
	fatbinary --64 --compress-mode=size --create=$@ $(foreach v,$(LINKED),--image3=kind=elf,sm=$v,file=linked_$v.cubin)
linked_lz4.fatbin: linked_80.cubin
	fatbinary --64 --compress-mode=speed --compress-all --create=$@ --image3=kind=elf,sm=80,file=$<
linked_%.cubin: linked_kernel_%.o linked_function_%.o
	nvlink -arch=sm_$* -o $@ $^
define object
linked_kernel_$1.o linked_function_$1.o: linked_%_$1.o: linked_%.cu
	nvcc -arch=sm_$1 -rdc=true -cubin -o $$@ $$<
endef
$(foreach v,$(LINKED),$(eval $(call object,$v)))
.INTERMEDIATE: $(LINKED:%=linked_%.cubin) $(LINKED:%=linked_kernel_%.o) $(LINKED:%=linked_function_%.o)
# the table of lines has the folder in it
faults.fatbin: faults.cu
	mkdir -p /tmp/exec
	cp $< /tmp/exec
	cd /tmp/exec && nvcc $(foreach v,75 80 90 120,-gencode arch=compute_$v,code=sm_$v) --compress-mode=size -lineinfo \
		-fatbin -o $@ $<
	mv /tmp/exec/$@ .
found.fatbin: found.cu
	nvcc $(foreach v,80 90 120,-gencode arch=compute_$v,code=sm_$v) --compress-mode=size -fatbin -o $@ $<
graph.fatbin: graph.cu
	nvcc -gencode arch=compute_75,code=sm_75 --compress-mode=size -fatbin -o $@ $<
tensor.fatbin: tensor.cu
	nvcc $(foreach v,80 90 120,-gencode arch=compute_$v,code=sm_$v) --compress-mode=size -fatbin -o $@ $<
hopper.fatbin: hopper.cu
	nvcc -gencode arch=compute_90a,code=sm_90a --compress-mode=size -fatbin -o $@ $<
cluster.fatbin: cluster.cu
	nvcc -gencode arch=compute_90a,code=sm_90a --compress-mode=size -fatbin -o $@ $<
