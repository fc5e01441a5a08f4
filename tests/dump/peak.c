/* peak.c - tests of memory: writes a trace of any length, and measures the peak of a program
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   peak trace INSTRUCTIONS    writes it to standard output
 *   peak run PROGRAM ARG...    runs it without output; prints the most KiB that were resident
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the trace ---- */

/* Thread blocks of eight warps, which run the same loop: loads that miss now and then, shared
 * memory, barriers, so that all tables of a dump have rows. */
#define WARPS 8u
#define ROUNDS 50u /* of the loop, in each warp */
#define LOOP 10u   /* instructions in it */
#define INSTS (LOOP * ROUNDS + 2)

static void write_round(unsigned block, unsigned warp, unsigned round)
{
	/* each warp reads lines of its own, every fourth round a new one */
	uint64_t line = (uint64_t)(block * WARPS + warp) * ROUNDS + round / 4 * 4;
	uint64_t at = 0x7f0000000000 + line * 128;

	printf("0010 ffffffff 1 R2 IMAD.WIDE 2 R0 R9 0 \n"
	       "0020 ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x%" PRIx64 " 4 \n"
	       "0030 ffffffff 1 R5 LDS 1 R6 4 1 0x7f6a40000000 %u \n"
	       "0040 ffffffff 1 R7 FFMA 3 R4 R5 R7 0 \n"
	       "0050 ffffffff 1 R8 FADD 2 R7 R8 0 \n"
	       "0060 ffffffff 1 R10 MUFU.RCP 1 R8 0 \n"
	       "0070 ffffffff 0 STG.E.SYS 2 R2 R10 4 1 0x%" PRIx64 " 4 \n"
	       "0080 ffffffff 1 R0 IADD3 3 R0 R9 R255 0 \n"
	       "0090 ffffffff 0 BAR.SYNC 0 0 \n"
	       "00a0 ffffffff 0 BRA 0 0 \n", at, round % 2 ? 8 : 4, at + 0x100000000);
}

static void write_block(unsigned block)
{
	printf("\n#BEGIN_TB\n\nthread block = %u,0,0\n", block);
	for (unsigned warp = 0; warp < WARPS; warp++) {
		printf("\nwarp = %u\ninsts = %u\n0000 ffffffff 1 R9 MOV 0 0 \n", warp, INSTS);
		for (unsigned round = 0; round < ROUNDS; round++)
			write_round(block, warp, round);
		printf("00b0 ffffffff 0 EXIT 0 0 \n");
	}
	printf("\n#END_TB\n");
}

static int write_trace(unsigned long insts)
{
	unsigned blocks = (unsigned)((insts + WARPS * INSTS - 1) / (WARPS * INSTS));

	printf("-kernel name = _Z4longPf\n-kernel id = 1\n-grid dim = (%u,1,1)\n"
	       "-block dim = (%u,1,1)\n-shmem = 1024\n-nregs = 16\n-binary version = 70\n"
	       "-cuda stream id = 0\n-shmem base_addr = 0x00007f6a40000000\n"
	       "-local mem base_addr = 0x00007f6a3e000000\n-nvbit version = none\n"
	       "-accelsim tracer version = 4\n-enable lineinfo = 0\n\n"
	       "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
	       "[adrrescompress?] [mem_addresses]\n\n", blocks, WARPS * 32);
	for (unsigned block = 0; block < blocks && !ferror(stdout); block++)
		write_block(block);
	return fflush(stdout) != 0 || ferror(stdout);
}

/* ---- the measurement ---- */

static int measure(char **argv)
{
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		execv(argv[0], argv);
		fprintf(stderr, "peak: %s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid) {
		perror("peak");
		return 1;
	}
	printf("%ld\n", usage.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "trace") == 0 && strtoul(argv[2], NULL, 10) > 0)
		return write_trace(strtoul(argv[2], NULL, 10));
	if (argc > 2 && strcmp(argv[1], "run") == 0)
		return measure(argv + 2);
	fprintf(stderr, "usage: peak trace INSTRUCTIONS | peak run PROGRAM ARG...\n");
	return 2;
}
