#include "kernel.h"
void test_end(void) {}
