/* selector: label selectors (=, ==, !=, in, notin, exists, !exists) and field selectors (=, ==, != on any dotted path
 * of scalars, which is more than a real server allows). */
#ifndef TESTS_APISERVER_SELECTOR_H
#define TESTS_APISERVER_SELECTOR_H

#include "jx.h"

/* False with a sentence in why[] if the text is not a selector. */
bool selector_check_labels(const char *text, char why[static 200]);
/* "" matches everything. */
bool selector_match_labels(const char *text, const json_t *object);
bool selector_match_fields(const char *text, const json_t *object);

#endif
