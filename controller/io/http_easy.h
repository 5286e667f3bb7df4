/* http_easy: a request's curl options. For io/http.c only. */
#ifndef IO_HTTP_EASY_H
#define IO_HTTP_EASY_H

#include "io/http_pool.h"

/* Sets up request->easy and request->origin. */
int http_easy_prepare(struct http_request *request, const struct http_options *options, struct error **err);

#endif
