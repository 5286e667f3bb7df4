/* The byte-exact server of io's tests, for this layer's program as well. */
#include "io/rawserver.c" /* NOLINT: one copy, two programs */
