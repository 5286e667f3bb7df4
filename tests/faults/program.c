/* The runtime tests' handle on a child process. */
#include "../runtime/program.c"
