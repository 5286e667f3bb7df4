#include "objectstore/request.h"

#include <stdlib.h>

void object_request_done(struct object_request *r) {
    free(r->url);
    for (size_t i = 0; r->headers[i] != NULL; i++)
        free(r->headers[i]);
    *r = (struct object_request){0};
}

const struct object_advice *object_advice_find(const struct object_advice *rows, const char *code, int status) {
    while ((rows->code != NULL && strcmp(rows->code, code) != 0) || (rows->status != 0 && rows->status != status))
        rows++;
    return rows;
}
