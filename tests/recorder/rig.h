/* rig: the endpoint with its real server and store, an API server that the test answers for, and clients. */
#ifndef TESTS_RECORDER_RIG_H
#define TESTS_RECORDER_RIG_H

#include "folder.h"
#include "io/http.h"
#include "recorder/endpoint.h"
#include "reviews.h"

/* Two jobs, each with a separate token. */
#define TOKEN_A "token-of-job-one-in-namespace-a-0123456789"
#define TOKEN_B "token-of-job-two-in-namespace-b-0123456789"

struct rig {
    char root[FOLDER_PATH]; /* of the folders "store" and "tokens" */
    struct loop *loop;
    struct reviews api; /* knows no token */
    struct endpoint *endpoint;
    struct server *server;
    struct http_client *http;
    int finished; /* requests */
};

struct call {
    struct rig *rig;
    struct http_request *request;
    int status;
    struct buf body; /* the first 64 KiB */
    bool done;
};

void rig_begin(struct rig *r);
void rig_end(struct rig *r);
/* The job gets a file that is a pipe: who reads it waits for a writer, who writes it for a reader. Its path; heap. */
char *rig_pipe(const struct rig *r, const char *namespace_, const char *job);

void call_start(struct rig *r, struct call *c, const char *path, const char *token, struct slice body);
void call_done(struct call *c);
/* Starts it, waits for its end and returns its status; part, unless NULL, is in the answer. */
int call_post(struct rig *r, const char *path, const char *token, struct slice body, const char *part);
void call_list(struct rig *r, struct call *c, const char *namespace_, const char *job, const char *token);

/* Runs the loop until the number is at least that. */
void rig_until(struct rig *r, const int *number, int min);

#endif
