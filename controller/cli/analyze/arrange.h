/* analyze_arrange: what lies between a file and those who read its lines. Where the file holds the lines of several
 * ranks, they get those of one: the lowest that has steps in the first ANALYZE_HEAD_BYTES. Where it is newest first,
 * they get it oldest first, if sorting needs no more than ANALYZE_SORT_BYTES. All other files pass in pieces as they
 * are. */
#ifndef CLI_ANALYZE_ARRANGE_H
#define CLI_ANALYZE_ARRANGE_H

#include "cli/analyze/input.h"
#include "cli/analyze/options.h"

#define ANALYZE_HEAD_BYTES ((size_t)16 << 20)
#define ANALYZE_SORT_BYTES ((size_t)256 << 20)

struct analyze_arrange;

/* Borrows all; path is for messages. */
struct analyze_arrange *analyze_arrange_new(const struct analyze *a, struct analyze_input *in, const char *path);
void analyze_arrange_free(struct analyze_arrange *arrange);
/* As analyze_input_next(). A line of another rank is left empty, so that lines keep their numbers. */
int analyze_arrange_next(struct analyze_arrange *arrange, struct slice *lines, struct error **err);

#endif
