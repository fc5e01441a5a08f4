/* fuzz_dump.c - feeds bytes to the reader of dumps, and the result to every format
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Built with FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION: hashes are not checked, and compressed
 * parts may also be uncompressed.  Without -DHD_LIBFUZZER a program that runs the files named on
 * its command line once.
 */
#include "read_dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd;
	char *path = fuzz_file(data, size, &fd);
	struct dump *d = dump_open(path);

	if (d) {
		fuzz_use_dump(d, 0);
		fuzz_use_dump(d, size ? data[size - 1] : 0);
	}
	dump_close(d);
	free(path);
	close(fd);
	return 0;
}

#include "files.h"
