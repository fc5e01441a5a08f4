/* files.h - makes a fuzzer's harness a program that reads files; included after it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef HD_LIBFUZZER
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size), *f = fopen(argv[i], "rb");

		if (f == NULL) {
			perror(argv[i]);
			return 2;
		}
		for (int c; (c = getc(f)) != EOF;)
			putc(c, out);
		fclose(f);
		fclose(out);
		LLVMFuzzerTestOneInput((const uint8_t *)text, size);
		free(text);
	}
	return 0;
}
#endif
