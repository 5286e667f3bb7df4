/* loop_lws: the libwebsockets context under the loop, for io/server.c only. */
#ifndef IO_LOOP_LWS_H
#define IO_LOOP_LWS_H

#include "io/loop.h"

struct lws_context;

struct lws_context *loop_lws_context(struct loop *loop);

#endif
