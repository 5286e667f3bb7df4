/* sort: orders JobGoodputs by one field, for --sort-by. */
#ifndef CLI_RENDER_SORT_H
#define CLI_RENDER_SORT_H

#include <jansson.h>
#include <stddef.h>

/* Ascending, as kubectl's --sort-by: numbers and percentages by value, other texts by bytes; numbers before texts, jobs
 * without the field last. Equal ones keep their order. path: as pick() takes it. */
void sort_by_field(json_t **jobs, size_t count, const char *path);

#endif
