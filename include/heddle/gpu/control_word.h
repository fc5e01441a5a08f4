/* control_word.h - what a compiler has written into an instruction for a core without interlocks
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Control words.  Registers have numbers as in hd_inst: the SASS number + 1, 0 is
 * none.
 */
#ifndef HEDDLE_GPU_CONTROL_WORD_H
#define HEDDLE_GPU_CONTROL_WORD_H

#include <stdint.h>

#define HD_COUNTERS 6u        /* dependence counters of a warp, SB0 to SB5 */
#define HD_NO_COUNTER 7u
#define HD_OPERAND_SLOTS 3u
#define HD_MAX_STALL 15u

enum hd_control_flag {
	HD_CONTROL_GIVEN = 1 << 0,     /* without it all else is 0: nothing is known */
	HD_CONTROL_SYNTHETIC = 1 << 1, /* made for this run, not by a compiler */
	HD_CONTROL_YIELD = 1 << 2,
	HD_CONTROL_CLOCK = 1 << 3,     /* reads the clock: CS2R or S2R of SR_CLOCKLO */
	HD_CONTROL_DEPBAR = 1 << 4,    /* waits until .depbar <= hd_inst.imm and all of .list are 0 */
	HD_CONTROL_CONSTANT = 1 << 5,  /* has an operand at .constant */
	HD_CONTROL_UNIFORM = 1 << 6,   /* its address has a uniform register and no other */
	HD_CONTROL_OPERANDS = 1 << 7,  /* the slots are those of the text; else they are in the order of
	                                * hd_inst.src */
};

struct hd_control {
	uint8_t flags;       /* enum hd_control_flag */
	uint8_t stall;       /* cycles, up to HD_MAX_STALL */
	uint8_t write, read; /* counters that fall when the result is written, and when the sources
	                      * are read; or HD_NO_COUNTER */
	uint8_t wait;        /* set of counters that must be 0 */
	uint8_t reuse;       /* set of operand slots that the register-file cache keeps */
	uint8_t depbar, list; /* a counter, and a set of counters */
	uint8_t ndst;        /* registers written, from hd_inst.dst on */
	uint8_t nslot[HD_OPERAND_SLOTS]; /* registers of each operand, from .slot on */
	uint16_t slot[HD_OPERAND_SLOTS]; /* 0: no register, or RZ */
	uint8_t guard;       /* 1 + the predicate that switches lanes off, as a bit of reads_p; 0: none */
	uint16_t reads_p, writes_p;      /* sets of predicates, P0 to P6; bit 8 + i: UPi */
	uint16_t bank;       /* of the constant operand, */
	uint32_t constant;   /* and its offset in bytes */
};

#endif
