/* schema: structural OpenAPI v3 schemas as CRDs hold them: pruning of unknown fields, defaults, validation of types,
 * required, enum, lengths, bounds and patterns. CEL rules (x-kubernetes-validations) are not evaluated. */
#ifndef TESTS_APISERVER_SCHEMA_H
#define TESTS_APISERVER_SCHEMA_H

#include "jx.h"

/* Removes fields that the schema does not know; appends their dotted paths to `unknown` (array of strings). */
void schema_prune(const json_t *schema, json_t *value, json_t *unknown);
void schema_default(const json_t *schema, json_t *value);
/* Appends {"reason", "message", "field"} for each fault to `causes`. */
void schema_validate(const json_t *schema, const json_t *value, json_t *causes);
/* The schema of a member, or NULL where there is none. Borrowed; schema may be NULL. */
const json_t *schema_member(const json_t *schema, const char *key);

enum list_type { LIST_ATOMIC, LIST_SET, LIST_MAP };
/* How the list at field `name` with this schema (may be NULL: then a table of well-known names decides) is merged;
 * keys[] gets up to 4 borrowed key names for LIST_MAP, NULL-terminated. */
enum list_type schema_list_type(const json_t *schema, const char *name, const char *keys[static 5]);

#endif
