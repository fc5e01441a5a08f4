#include "kernel.h"
void test_time(void) {}
