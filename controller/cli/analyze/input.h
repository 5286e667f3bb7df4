/* analyze_input: a log file in pieces of whole lines, in bounded memory: plain or gzip (by its first bytes, several
 * members, as `cat a.gz b.gz` makes), UTF-8 or UTF-16, a file, a pipe, or standard input. A line longer than
 * ANALYZE_MAX_LINE_BYTES is cut there. Damage after which reading continues is a note: one line on stderr that names
 * the file. */
#ifndef CLI_ANALYZE_INPUT_H
#define CLI_ANALYZE_INPUT_H

#include "base/error.h"
#include "base/slice.h"

#define ANALYZE_MAX_LINE_BYTES ((size_t)1 << 18)

struct analyze_input;

/* path "-": standard input. Errors: those of open(), a folder, an unsupported compression. */
struct analyze_input *analyze_input_open(const char *path, struct error **err);
void analyze_input_close(struct analyze_input *in);
/* The next lines, each with its end (the last may have none), valid until the next call: 1, 0 at the end, or a negative
 * errno. */
int analyze_input_next(struct analyze_input *in, struct slice *lines, struct error **err);
/* Whether the last returned line was cut: the rest of it is not read. */
bool analyze_input_has_cut(const struct analyze_input *in);
/* Whether it is a response of Loki's API: its lines are those of one stream after the other. */
bool analyze_input_is_response(const struct analyze_input *in);
/* Shows the progress on stderr from time to time, if that is a terminal and the input is long. */
void analyze_input_show_progress(struct analyze_input *in);

const char *analyze_name(const char *path); /* for messages: "-" is "standard input" */
/* Writes "kubectl-goodput: PATH: TEXT" to stderr. */
void analyze_note(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
