/* address_map.c - rules of the address map
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "harness.h"

static const char netlist[] =
	"'instances': {'it': {'module': 'address_map', 'params': {@}}, 'u': {'module': 'call_map'}}, "
	"'links': [{'from': 'u.map', 'to': 'it.map'}]";

/* Rows from bit 12, banks from bit 8, columns below: 16 banks. */
#define PLAIN "'layout': '00000000.00000000.00000000.00000000.RRRRRRRR.RRRRRRRR.RRRRBBBB.CCCSSSSS'"
/* The lowest bit of the bank is bit 7, the others bits 12 to 14. */
#define SPLIT "'layout': '00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS'"
/* 64 banks from bit 8. */
#define MANY "'layout': '00000000.00000000.00000000.00000000.RRRRRRRR.RRRRRRRR.RRBBBBBB.CCCSSSSS'"
#define REFUSED(what, p, message) { what, .shows = "AM6", .params = p, .script = "0 end", \
	.log = "refused instance 'it': " message }

static const struct rule rules[] = {
	{
		"channels are inserted at a bit, and all above moves up",
		.shows = "AM1 AM2",
		.params = PLAIN ", 'channel_at': 8, 'channels': 4, 'slices': 1",
		.script = "0 u where 0; 0 u where 0x100; 0 u where 0x200; 0 u where 0x300;"
		          "0 u where 0x400; 0 u where 0x3c00; 0 u where 0x4000; 0 u where 0x7f123ff;"
		          "0 u where 0x7f00000004ff; 1 end",
		.log = "0 u 0 = slice 0 local 0 bank 0 row 0;"
		       "0 u 0x100 = slice 1 local 0 bank 0 row 0;"
		       "0 u 0x200 = slice 2 local 0 bank 0 row 0;"
		       "0 u 0x300 = slice 3 local 0 bank 0 row 0;"
		       "0 u 0x400 = slice 0 local 0x100 bank 1 row 0;"
		       "0 u 0x3c00 = slice 0 local 0xf00 bank 15 row 0;"
		       "0 u 0x4000 = slice 0 local 0x1000 bank 0 row 1;"
		       "0 u 0x7f123ff = slice 3 local 0x1fc48ff bank 8 row 8132;"
		       "0 u 0x7f00000004ff = slice 0 local 0x1fc0000001ff bank 1 row 0",
	},
	{
		"the lowest bits of the bank choose the slice, and stay in the bank",
		.shows = "AM2 AM3 AM4",
		.params = SPLIT ", 'channel_at': 8, 'channels': 2, 'slices': 4",
		.script = "0 u where 0; 0 u where 0x80; 0 u where 0x100; 0 u where 0x180;"
		          "0 u where 0x2000; 0 u where 0x4000; 0 u where 0xe180; 0 u where 0x12345678;"
		          "1 end",
		.log = "0 u 0 = slice 0 local 0 bank 0 row 0;"
		       "0 u 0x80 = slice 1 local 0 bank 1 row 0;"
		       "0 u 0x100 = slice 4 local 0 bank 0 row 0;"
		       "0 u 0x180 = slice 5 local 0 bank 1 row 0;"
		       "0 u 0x2000 = slice 2 local 0 bank 2 row 0;"
		       "0 u 0x4000 = slice 0 local 0x800 bank 4 row 0;"
		       "0 u 0xe180 = slice 7 local 0x1800 bank 15 row 0;"
		       "0 u 0x12345678 = slice 0 local 0x2468df8 bank 4 row 4660",
	},
	{
		"a number of channels that is not a power of two divides the address",
		.shows = "AM2 AM4",
		.params = SPLIT ", 'channel_at': 8, 'channels': 12, 'slices': 2",
		.script = "0 u where 0; 0 u where 0x80; 0 u where 0x100; 0 u where 0xb00;"
		          "0 u where 0xc00; 0 u where 0x180000; 0 u where 0x12345678; 0 u where 0xffffffff;"
		          "1 end",
		.log = "0 u 0 = slice 0 local 0 bank 0 row 0;"
		       "0 u 0x80 = slice 1 local 0 bank 1 row 0;"
		       "0 u 0x100 = slice 2 local 0 bank 0 row 0;"
		       "0 u 0xb00 = slice 22 local 0 bank 0 row 0;"
		       "0 u 0xc00 = slice 0 local 0x80 bank 0 row 0;"
		       "0 u 0x180000 = slice 0 local 0x10000 bank 0 row 4;"
		       "0 u 0x12345678 = slice 12 local 0xc22e78 bank 10 row 776;"
		       "0 u 0xffffffff = slice 7 local 0xaaaaaff bank 11 row 2730",
	},
	{
		"hashed: a stride of a row of blocks turns from slice to slice, and each row has all of them",
		.shows = "AM3 AM4",
		.params = PLAIN ", 'channel_at': 8, 'channels': 12, 'slices': 2, 'indexing': 'hashed'",
		.script = "0 u where 0;0 u where 0x100;0 u where 0xc00;0 u where 0xb00;0 u where 0x1800;"
		          "0 u where 0x3000;0 u where 0x4800;0 u where 0x6000;0 u where 0x7800;0 u where 0x9000;"
		          "0 u where 0x1900;0 u where 0x2400;0 u where 0x185f;1 end",
		.log = "0 u 0 = slice 0 local 0 bank 0 row 0;"
		       "0 u 0x100 = slice 2 local 0 bank 0 row 0;"
		       "0 u 0xc00 = slice 1 local 0 bank 1 row 0;"
		       "0 u 0xb00 = slice 22 local 0 bank 0 row 0;"
		       "0 u 0x1800 = slice 19 local 0x100 bank 2 row 0;"
		       "0 u 0x3000 = slice 4 local 0x200 bank 4 row 0;"
		       "0 u 0x4800 = slice 0 local 0x300 bank 6 row 0;"
		       "0 u 0x6000 = slice 11 local 0x400 bank 8 row 0;"
		       "0 u 0x7800 = slice 23 local 0x500 bank 10 row 0;"
		       "0 u 0x9000 = slice 16 local 0x600 bank 12 row 0;"
		       "0 u 0x1900 = slice 21 local 0x100 bank 2 row 0;"
		       "0 u 0x2400 = slice 18 local 0x100 bank 3 row 0;"
		       "0 u 0x185f = slice 19 local 0x15f bank 2 row 0",
	},
	{
		"permuted: each row of blocks has all channels, in an order of its own",
		.shows = "AM3 AM4",
		.params = PLAIN ", 'channel_at': 8, 'channels': 10, 'slices': 1, 'indexing': 'permuted'",
		.script = "0 u where 0;0 u where 0x100;0 u where 0x200;0 u where 0x900;"
		          "0 u where 0xa00;0 u where 0xb00;0 u where 0xc00;0 u where 0xd00;0 u where 0xe00;"
		          "0 u where 0xf00;0 u where 0x1000;0 u where 0x1100;0 u where 0x1200;0 u where 0x1300;1 end",
		.log = "0 u 0 = slice 0 local 0 bank 0 row 0;"
		       "0 u 0x100 = slice 1 local 0 bank 0 row 0;"
		       "0 u 0x200 = slice 2 local 0 bank 0 row 0;"
		       "0 u 0x900 = slice 9 local 0 bank 0 row 0;"
		       "0 u 0xa00 = slice 9 local 0x100 bank 1 row 0;"
		       "0 u 0xb00 = slice 2 local 0x100 bank 1 row 0;"
		       "0 u 0xc00 = slice 5 local 0x100 bank 1 row 0;"
		       "0 u 0xd00 = slice 8 local 0x100 bank 1 row 0;"
		       "0 u 0xe00 = slice 1 local 0x100 bank 1 row 0;"
		       "0 u 0xf00 = slice 4 local 0x100 bank 1 row 0;"
		       "0 u 0x1000 = slice 7 local 0x100 bank 1 row 0;"
		       "0 u 0x1100 = slice 0 local 0x100 bank 1 row 0;"
		       "0 u 0x1200 = slice 3 local 0x100 bank 1 row 0;"
		       "0 u 0x1300 = slice 6 local 0x100 bank 1 row 0",
	},
	{
		"permuted: a power of two of channels with slices",
		.shows = "AM3 AM4",
		.params = PLAIN ", 'channel_at': 8, 'channels': 4, 'slices': 2, 'indexing': 'permuted'",
		.script = "0 u where 0x1000;0 u where 0x1100;0 u where 0x1200;0 u where 0x1300;"
		          "0 u where 0x1400;0 u where 0x1500;0 u where 0x1600;0 u where 0x1700;1 end",
		.log = "0 u 0x1000 = slice 4 local 0x200 bank 4 row 0;"
		       "0 u 0x1100 = slice 2 local 0x200 bank 4 row 0;"
		       "0 u 0x1200 = slice 0 local 0x200 bank 4 row 0;"
		       "0 u 0x1300 = slice 6 local 0x200 bank 4 row 0;"
		       "0 u 0x1400 = slice 5 local 0x200 bank 5 row 0;"
		       "0 u 0x1500 = slice 3 local 0x200 bank 5 row 0;"
		       "0 u 0x1600 = slice 1 local 0x200 bank 5 row 0;"
		       "0 u 0x1700 = slice 7 local 0x200 bank 5 row 0",
	},
	{
		"one channel",
		.shows = "AM2",
		.params = PLAIN ", 'channel_at': 8, 'channels': 1, 'slices': 2",
		.script = "0 u where 0; 0 u where 0x100; 0 u where 0x200; 0 u where 0x12345678; 1 end",
		.log = "0 u 0 = slice 0 local 0 bank 0 row 0;"
		       "0 u 0x100 = slice 1 local 0 bank 1 row 0;"
		       "0 u 0x200 = slice 0 local 0x100 bank 2 row 0;"
		       "0 u 0x12345678 = slice 0 local 0x91a2b78 bank 6 row 74565",
	},
	{
		"channels at bit 0, and the most there are",
		.shows = "AM2",
		.params = PLAIN ", 'channel_at': 0, 'channels': 1024, 'slices': 1",
		.script = "0 u where 0x3ff; 0 u where 0x400; 0 u where 0x12345678; 1 end",
		.log = "0 u 0x3ff = slice 1023 local 0 bank 0 row 0;"
		       "0 u 0x400 = slice 0 local 0x1 bank 0 row 0;"
		       "0 u 0x12345678 = slice 632 local 0x48d15 bank 13 row 72",
	},
	{
		"xor: the bits above channel and slice are mixed into the channel",
		.shows = "AM3",
		.params = PLAIN ", 'channel_at': 8, 'channels': 8, 'slices': 2, 'indexing': 'xor'",
		.script = "0 u where 0x100; 0 u where 0x1100; 0 u where 0x2100; 0 u where 0x3100;"
		          "0 u where 0xf100; 0 u where 0x12345678; 1 end",
		.log = "0 u 0x100 = slice 2 local 0 bank 0 row 0;"
		       "0 u 0x1100 = slice 0 local 0x100 bank 2 row 0;"
		       "0 u 0x2100 = slice 6 local 0x200 bank 4 row 0;"
		       "0 u 0x3100 = slice 4 local 0x300 bank 6 row 0;"
		       "0 u 0xf100 = slice 12 local 0xf00 bank 14 row 1;"
		       "0 u 0x12345678 = slice 6 local 0x1234578 bank 10 row 9320",
	},
	{
		"ipoly over 16 slices",
		.shows = "AM3",
		.params = PLAIN ", 'channel_at': 8, 'channels': 8, 'slices': 2, 'indexing': 'ipoly'",
		.script = "0 u where 0x100; 0 u where 0x1000; 0 u where 0x2000; 0 u where 0x4000;"
		          "0 u where 0x8000; 0 u where 0x10000; 0 u where 0x20000; 0 u where 0x40000;"
		          "0 u where 0x80000; 0 u where 0x100000; 0 u where 0x200000; 0 u where 0x400000;"
		          "0 u where 0x800000; 0 u where 0x1000000; 0 u where 0x2000000;"
		          "0 u spread 0 step=256 n=4096; 1 end",
		.log = "0 u 0x100 = slice 2 local 0 bank 0 row 0;"
		       "0 u 0x1000 = slice 3 local 0x100 bank 2 row 0;"
		       "0 u 0x2000 = slice 6 local 0x200 bank 4 row 0;"
		       "0 u 0x4000 = slice 12 local 0x400 bank 8 row 0;"
		       "0 u 0x8000 = slice 11 local 0x800 bank 0 row 1;"
		       "0 u 0x10000 = slice 5 local 0x1000 bank 0 row 2;"
		       "0 u 0x20000 = slice 10 local 0x2000 bank 0 row 4;"
		       "0 u 0x40000 = slice 7 local 0x4000 bank 0 row 8;"
		       "0 u 0x80000 = slice 14 local 0x8000 bank 0 row 16;"
		       "0 u 0x100000 = slice 15 local 0x10000 bank 0 row 32;"
		       "0 u 0x200000 = slice 13 local 0x20000 bank 0 row 64;"
		       "0 u 0x400000 = slice 9 local 0x40000 bank 0 row 128;"
		       "0 u 0x800000 = slice 1 local 0x80000 bank 0 row 256;"
		       "0 u 0x1000000 = slice 2 local 0x100000 bank 0 row 512;"
		       "0 u 0x2000000 = slice 0 local 0x200000 bank 0 row 1024;"
		       "0 u 16 slices: at most 256, at least 256",
	},
	{
		"over 32",
		.shows = "AM3",
		.params = PLAIN ", 'channel_at': 8, 'channels': 16, 'slices': 2, 'indexing': 'ipoly'",
		.script = "0 u where 0x100; 0 u where 0x2000; 0 u where 0x4000; 0 u where 0x8000;"
		          "0 u where 0x10000; 0 u where 0x20000; 0 u where 0x40000; 0 u where 0x80000;"
		          "0 u where 0x100000; 0 u where 0x200000; 0 u where 0x400000;"
		          "0 u where 0x800000; 0 u where 0x1000000; 0 u where 0x2000000;"
		          "0 u where 0x4000000; 0 u where 0x8000000;"
		          "0 u spread 0 step=256 n=4096; 1 end",
		.log = "0 u 0x100 = slice 2 local 0 bank 0 row 0;"
		       "0 u 0x2000 = slice 5 local 0x100 bank 2 row 0;"
		       "0 u 0x4000 = slice 10 local 0x200 bank 4 row 0;"
		       "0 u 0x8000 = slice 20 local 0x400 bank 8 row 0;"
		       "0 u 0x10000 = slice 13 local 0x800 bank 0 row 1;"
		       "0 u 0x20000 = slice 26 local 0x1000 bank 0 row 2;"
		       "0 u 0x40000 = slice 17 local 0x2000 bank 0 row 4;"
		       "0 u 0x80000 = slice 7 local 0x4000 bank 0 row 8;"
		       "0 u 0x100000 = slice 14 local 0x8000 bank 0 row 16;"
		       "0 u 0x200000 = slice 28 local 0x10000 bank 0 row 32;"
		       "0 u 0x400000 = slice 29 local 0x20000 bank 0 row 64;"
		       "0 u 0x800000 = slice 31 local 0x40000 bank 0 row 128;"
		       "0 u 0x1000000 = slice 27 local 0x80000 bank 0 row 256;"
		       "0 u 0x2000000 = slice 19 local 0x100000 bank 0 row 512;"
		       "0 u 0x4000000 = slice 3 local 0x200000 bank 0 row 1024;"
		       "0 u 0x8000000 = slice 6 local 0x400000 bank 0 row 2048;"
		       "0 u 32 slices: at most 128, at least 128",
	},
	{
		"over 64",
		.shows = "AM3",
		.params = PLAIN ", 'channel_at': 8, 'channels': 32, 'slices': 2, 'indexing': 'ipoly'",
		.script = "0 u where 0x100; 0 u where 0x4000; 0 u where 0x8000; 0 u where 0x10000;"
		          "0 u where 0x20000; 0 u where 0x40000; 0 u where 0x80000; 0 u where 0x100000;"
		          "0 u where 0x200000; 0 u where 0x400000; 0 u where 0x800000;"
		          "0 u where 0x1000000; 0 u where 0x2000000; 0 u where 0x4000000;"
		          "0 u where 0x8000000; 0 u where 0x10000000; 0 u where 0x20000000;"
		          "0 u where 0x40000000; 0 u where 0x80000000; 0 u where 0x100000000;"
		          "0 u where 0x200000000; 0 u spread 0 step=256 n=4096; 1 end",
		.log = "0 u 0x100 = slice 2 local 0 bank 0 row 0;"
		       "0 u 0x4000 = slice 3 local 0x100 bank 2 row 0;"
		       "0 u 0x8000 = slice 6 local 0x200 bank 4 row 0;"
		       "0 u 0x10000 = slice 12 local 0x400 bank 8 row 0;"
		       "0 u 0x20000 = slice 24 local 0x800 bank 0 row 1;"
		       "0 u 0x40000 = slice 48 local 0x1000 bank 0 row 2;"
		       "0 u 0x80000 = slice 35 local 0x2000 bank 0 row 4;"
		       "0 u 0x100000 = slice 5 local 0x4000 bank 0 row 8;"
		       "0 u 0x200000 = slice 10 local 0x8000 bank 0 row 16;"
		       "0 u 0x400000 = slice 20 local 0x10000 bank 0 row 32;"
		       "0 u 0x800000 = slice 40 local 0x20000 bank 0 row 64;"
		       "0 u 0x1000000 = slice 19 local 0x40000 bank 0 row 128;"
		       "0 u 0x2000000 = slice 38 local 0x80000 bank 0 row 256;"
		       "0 u 0x4000000 = slice 15 local 0x100000 bank 0 row 512;"
		       "0 u 0x8000000 = slice 30 local 0x200000 bank 0 row 1024;"
		       "0 u 0x10000000 = slice 60 local 0x400000 bank 0 row 2048;"
		       "0 u 0x20000000 = slice 59 local 0x800000 bank 0 row 4096;"
		       "0 u 0x40000000 = slice 53 local 0x1000000 bank 0 row 8192;"
		       "0 u 0x80000000 = slice 41 local 0x2000000 bank 0 row 16384;"
		       "0 u 0x100000000 = slice 17 local 0x4000000 bank 0 row 32768;"
		       "0 u 0x200000000 = slice 0 local 0x8000000 bank 0 row 65536;"
		       "0 u 64 slices: at most 64, at least 64",
	},
	{
		"of 12 channels as over 16, and then modulo their slices",
		.shows = "AM3",
		.params = SPLIT ", 'channel_at': 8, 'channels': 12, 'slices': 2, 'indexing': 'ipoly'",
		.script = "0 u where 0x80; 0 u where 0xb80; 0 u where 0xc00; 0 u where 0x1800;"
		          "0 u where 0x12345680; 0 u spread 0 step=128 n=3840; 1 end",
		.log = "0 u 0x80 = slice 1 local 0 bank 1 row 0;"
		       "0 u 0xb80 = slice 23 local 0 bank 1 row 0;"
		       "0 u 0xc00 = slice 5 local 0x80 bank 0 row 0;"
		       "0 u 0x1800 = slice 10 local 0x100 bank 0 row 0;"
		       "0 u 0x12345680 = slice 22 local 0xc22e00 bank 11 row 776;"
		       "0 u 24 slices: at most 240, at least 120",
	},
	{
		"banks: xor mixes the row in",
		.shows = "AM5",
		.params = PLAIN ", 'channels': 1, 'slices': 1, 'bank_index': 'xor'",
		.script = "0 u where 0x300; 0 u where 0x1300; 0 u where 0xf300; 0 u where 0x1f300; 1 end",
		.log = "0 u 0x300 = slice 0 local 0x300 bank 3 row 0;"
		       "0 u 0x1300 = slice 0 local 0x1300 bank 2 row 1;"
		       "0 u 0xf300 = slice 0 local 0xf300 bank 12 row 15;"
		       "0 u 0x1f300 = slice 0 local 0x1f300 bank 12 row 31",
	},
	{
		"ipoly over 16 banks",
		.shows = "AM5",
		.params = PLAIN ", 'channels': 1, 'slices': 1, 'bank_index': 'ipoly'",
		.script = "0 u where 0x300; 0 u where 0x1300; 0 u where 0x2300; 0 u where 0x4300;"
		          "0 u where 0x1000300; 1 end",
		.log = "0 u 0x300 = slice 0 local 0x300 bank 3 row 0;"
		       "0 u 0x1300 = slice 0 local 0x1300 bank 0 row 1;"
		       "0 u 0x2300 = slice 0 local 0x2300 bank 5 row 2;"
		       "0 u 0x4300 = slice 0 local 0x4300 bank 15 row 4;"
		       "0 u 0x1000300 = slice 0 local 0x1000300 bank 1 row 4096",
	},
	{
		"ipoly over 64 banks",
		.shows = "AM5",
		.params = MANY ", 'channels': 1, 'slices': 1, 'bank_index': 'ipoly'",
		.script = "0 u where 0x300; 0 u where 0x4300; 0 u where 0x8300; 0 u where 0x80000300;"
		          "1 end",
		.log = "0 u 0x300 = slice 0 local 0x300 bank 3 row 0;"
		       "0 u 0x4300 = slice 0 local 0x4300 bank 0 row 1;"
		       "0 u 0x8300 = slice 0 local 0x8300 bank 5 row 2;"
		       "0 u 0x80000300 = slice 0 local 0x80000300 bank 42 row 131072",
	},
	REFUSED("letters of a layout", "'layout': 'RX'",
	        "'layout' has 'X'; expected R, B, C, S, D, 0 and dots"),
	REFUSED("too few of them", "'layout': 'RB.S'",
	        "'layout' has 3 letters; expected 64, one for each bit of an address"),
	REFUSED("a layout with channels of its own",
	        "'layout': '00000000.00000000.00000000.00000000.RRRRRRRR.RRRRRRRR.RRDDBBBB.CCCSSSSS'",
	        "'layout' has D; expected channels to be inserted at 'channel_at'"),
	REFUSED("more rows than a number holds",
	        "'layout': '0000000R.RRRRRRRR.RRRRRRRR.RRRRRRRR.RRRRRRRR.BBBBBBBB.BBBBBBBB.BCCSSSSS'",
	        "'layout' has 17 bits B and 33 bits R; expected at most 16 and 32"),
	REFUSED("slices: a power of two", PLAIN ", 'slices': 3",
	        "'slices' is 3; expected a power of two"),
	REFUSED("bits of the bank for all slices", PLAIN ", 'slices': 32",
	        "'layout' has 4 bits B; expected at least 5, which choose the slice"),
	REFUSED("xor: a power of two of channels", PLAIN ", 'channels': 12, 'indexing': 'xor'",
	        "'channels' is 12; 'indexing' \"xor\" expects a power of two"),
	REFUSED("ipoly: not over 8", PLAIN ", 'channels': 4, 'slices': 2, 'indexing': 'ipoly'",
	        "'indexing' \"ipoly\" expects 9 to 64 slices in all and more than one channel, "
	        "found 8 of 4 channels"),
	REFUSED("nor over 128", PLAIN ", 'channels': 64, 'slices': 2, 'indexing': 'ipoly'",
	        "'indexing' \"ipoly\" expects 9 to 64 slices in all and more than one channel, "
	        "found 128 of 64 channels"),
	REFUSED("nor of one channel", PLAIN ", 'channels': 1, 'slices': 16, 'indexing': 'ipoly'",
	        "'indexing' \"ipoly\" expects 9 to 64 slices in all and more than one channel, "
	        "found 16 of 1 channels"),
	REFUSED("ipoly over 8 banks",
	        "'layout': '00000000.00000000.00000000.00000000.RRRRRRRR.RRRRRRRR.RRRR0BBB.CCCSSSSS', "
	        "'bank_index': 'ipoly'",
	        "'layout' distinguishes 8 banks; 'bank_index' \"ipoly\" expects 16, 32 or 64"),
};

SUITE(address_map, .netlist = netlist, RULES(rules));
