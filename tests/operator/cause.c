#include "cause.h"

#include "base/mem.h"
#include "harness.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

void cause_check(const char *status, const char *key, const char *expected) {
    json_t *json = json_loads(status, 0, NULL);
    json_t *cause = json_object_get(json_array_get(json_object_get(json, "executions"), 0), "rootCause");
    json_t *value = *key != '\0' ? json_object_get(cause, key) : cause;
    char *text = value != NULL ? json_dumps(value, JSON_ENCODE_ANY) : mem_strdup("");
    if (strcmp(text, expected) != 0)
        harness_fail(__FILE__, __LINE__, "rootCause.%s is %s, expected %s", key, text, expected);
    free(text);
    json_decref(json);
}
