/* fixture: the embedded API server, a loop and a client of it, for one test. */
#ifndef TESTS_KUBE_FIXTURE_H
#define TESTS_KUBE_FIXTURE_H

#include "apiserver/apiserver.h"
#include "base/buf.h"
#include "kube/client.h"

struct fixture {
    struct apiserver *server;
    struct loop *loop;
    struct kube_client *client;
};

bool fixture_begin(struct fixture *f, const char *const *arguments); /* false: nothing is left behind */
void fixture_end(struct fixture *f);                                 /* after what uses the client */
void fixture_pod(struct fixture *f, const char *name);               /* n/NAME with one container, "main" */

/* Runs the loop until the buffer holds the text (20 s at most; then false and the buffer on stderr). */
bool wait_text(struct loop *loop, const struct buf *b, const char *text);
/* Runs the loop until the server's number for the question ("open watch pods") is at least that. */
bool wait_number(struct fixture *f, const char *question, long min);

/* As folder_kubeconfig, for a server whose CA is in that folder's ca.crt. */
char *write_tls_kubeconfig(const char *url, const char *user, const char *ca_directory);

#endif
