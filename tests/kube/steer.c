/* The steered clock of io's tests, for this layer's program as well. */
#include "io/steer.c" /* NOLINT: one copy, several programs */
