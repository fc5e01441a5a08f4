#include "kernel.h"
void test_order(void) {}
