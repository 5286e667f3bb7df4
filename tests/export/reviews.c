/* The API server of reviews of kube's tests, for this layer's program as well. */
#include "kube/reviews.c" /* NOLINT: one copy, several programs */
