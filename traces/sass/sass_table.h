/* sass_table.h - the encodings of instructions, Turing to Hopper, as data
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An instruction is 128 bits.  Bits 0 to 8 are its operation; bits 9 to 11 its form: where its second
 * source b and its third source c lie, in slot 32 (bits 32 to 63) or slot 64 (bits 64 to 71):
 *
 *   form  slot 32            slot 64        form  slot 32            slot 64
 *   1     register b         register c     5     constant b         register c
 *   2     immediate c        register b     6     uniform register b register c
 *   3     constant c         register b     7     uniform register c register b
 *   4     immediate b        register c
 *
 * A row describes an operation in the forms that it has.  The first row that fits counts.
 */
#ifndef TRACES_SASS_SASS_TABLE_H
#define TRACES_SASS_SASS_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* Operands, in the order of the text, are words:
 *
 *   d, a, b, c   destination (bits 16 to 23), sources; s: a source that is in slot 32 in all forms and
 *                counts as the third, v: one in slot 32 without a reuse bit.  Uniform registers in
 *                operations of the uniform datapath.  A letter behind it is the kind of value:
 *                  (none) unsigned  z signed  i signed, may be negated  u unsigned, may be negated in slot 32
 *                  n may be inverted  f float  g double  h pair of halves  m float, its immediate a
 *                  pair of halves  y float with a selector of bytes  w signed, with that selector
 *   R16 U16 B16  register, uniform register, convergence barrier at that bit
 *   P81 V81      predicate, uniform predicate; those at 68, 77 and 87 may be negated
 *   Q64          predicate that is stored as 7 - number, negated by bit 67
 *   I40.5 S32.32 immediate at bit 40 of 5 bits, unsigned, signed
 *   H32          pair of halves
 *   C X Y Z      constant; constant indexed by register a, by uniform register a, that of LDCU
 *   A<kind>      address, see struct sass_address
 *   T D W O      target of a branch, of a BSSY; of a branch, and its distance, behind a register that is added
 *   SR           special register, bits 72 to 79
 *   PR UPR       all predicates
 *   L            table of PLOP3, bits 64 to 66 and 72 to 76
 *   M24          special register of BMOV
 *   K44 N32      counter; set of counters
 *   =NAME        one of the texts of a set of suffixes
 *   G24 H40      matrices at a uniform register, a uniform register that is a descriptor
 *   E87 J84      uniform predicate that is stored as 7 - number, negated by the bit behind it; gsb0 if the bits are 0
 *
 * Behind a word: '?' it is left out if it is RZ, PT, URZ or 0; '?N' if it is N; '@N', '@^N' it is there
 * only if bit N is set, clear; '@R', '@H' see sass_decode.c; '~N' inverted by that bit; '.WORD'
 * printed behind it; 'bN' a selector of bytes at that bit. */
struct sass_row {
	uint16_t op;       /* bits 0 to 8 */
	/* texts, not pointers, of which each would have to be relocated when the program starts */
	char forms[8];     /* "1234567" */
	char when[22];     /* "+72 ^85": bits that are set, clear */
	char name[16];     /* of the operation */
	char operands[60];
	char suffixes[72]; /* names of sets of suffixes, and ".WORDS", in the order of the text */
	uint8_t from, to;  /* SM versions, 0: all */
};

/* A part of the opcode: bits that choose one of its texts. */
struct sass_suffix {
	char name[14];
	uint8_t first, bits;   /* lowest bit, number of bits */
	uint8_t first2, bits2; /* further bits, more significant; 0: none */
	uint8_t from, to;      /* SM versions, 0: all */
	const char *texts;     /* from 0 on, between '|'; "" nothing, "?" no such instruction */
};

/* What an address consists of; 0: it has none of that. */
struct sass_address {
	const char *kind;
	uint8_t base;       /* register; 255: none, and the uniform register is always there */
	uint8_t uniform;    /* uniform register, there if bit 91 is set */
	uint8_t descriptor; /* bit: the uniform register is a descriptor */
	uint8_t second;     /* bit: the uniform register behind it is a descriptor */
	uint8_t wide;       /* bit: the base is a pair */
	uint8_t scale;      /* of the base, 2 bits */
	uint8_t offset, offset_bits; /* signed */
};

/* Ends with a row without forms. */
extern const struct sass_row hd__sass_rows[];
/* Ends with a suffix without a name. */
extern const struct sass_suffix hd__sass_suffixes[];
/* The address of a kind.  Returns NULL if it is none. */
const struct sass_address *hd__sass_address(const char *kind, size_t length);

#endif
