MemcpyHtoD,0x00007f6a20000000,8196
MemcpyHtoD,0x00007f6a20400000,90112
MemcpyHtoD,0x00007f6a20c00000,4
MemcpyHtoD,0x00007f6a21000000,8
kernel-1.traceg.xz
kernel-2.traceg.xz
