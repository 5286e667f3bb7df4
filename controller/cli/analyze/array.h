/* analyze_array: turns a JSON document into lines: an array of entries, as `gcloud logging read --format=json` prints
 * it over many lines, into one line per entry; a response of Loki's query_range into one line per stream, its labels,
 * and one per value, ["1795223812123456789","text"]. It works in place and piece by piece, so that memory stays
 * bounded. */
#ifndef CLI_ANALYZE_ARRAY_H
#define CLI_ANALYZE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

struct analyze_array {
    bool is_known, is_array;
    size_t depth; /* within an entry */
    bool is_response, is_in_result;
    size_t level; /* of brackets around the entries of a response */
    bool is_in_string, is_escaped, is_in_text, owes_newline;
};

/* Looks at the first bytes of a file until it is known whether it is such a document. */
void analyze_array_look(struct analyze_array *a, const char *bytes, size_t size);
/* Rewrites the next bytes and returns their new number. An entry's line may end with the next piece. */
size_t analyze_array_unfold(struct analyze_array *a, char *bytes, size_t size);

#endif
