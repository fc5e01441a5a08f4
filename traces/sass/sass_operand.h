/* sass_operand.h - private to the decoder of instructions
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_SASS_SASS_OPERAND_H
#define TRACES_SASS_SASS_OPERAND_H

#include "sass.h"
#include "sass_table.h"

/* An instruction that is being decoded. */
struct sass_decoder {
	struct sass_word w;
	uint32_t sm, pc;
	unsigned form;
	bool uniform;  /* an operation of the uniform datapath */
	bool inverts;  /* .X: negated integers are inverted */
	bool bf16;     /* its halves are */
	FILE *f;
	unsigned n;    /* operands printed */
	bool unknown;  /* an operand that is none */
};

/* Prints the operand that the word describes, of so many characters, after ", " or " ". */
void hd__sass_operand(struct sass_decoder *d, const char *word, size_t length);

/* sass_value.c: values between commas */
void hd__sass_put_float(uint32_t bits, FILE *f);
void hd__sass_put_double(uint32_t high, FILE *f);
/* Of 16 bits. */
void hd__sass_put_half(uint16_t bits, bool bf16, FILE *f);
/* "0x1f", "-0x1". */
void hd__sass_put_integer(int64_t v, FILE *f);
void hd__sass_put_special(unsigned number, FILE *f);

#endif
