/* apiserver: starts the embedded Kubernetes API server (.build/bin/test-apiserver) as a child process and steers it.
 *
 * A test starts it on a port of the kernel's choice, feeds it objects, makes it fail in chosen ways, and asks which
 * requests it saw. Commands are lines of the scenario language of README.md, one or more in a call; a call
 * returns when the server has done what it says, so no test needs to sleep. Not for the product: it forks, and a
 * broken server is reported on stderr.
 *
 *     struct apiserver *s = apiserver_start((const char *[]){"--token", "t0k", NULL});
 *     apiserver_do(s, "apply <<END\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\","
 *                     "\"namespace\":\"n\"}}\nEND");
 *     apiserver_do(s, "on watch pods after 3 events : reset");
 *     ... point the client at apiserver_url(s) or apiserver_kubeconfig(s) ...
 *     apiserver_do(s, "wait seen watch pods 2");           // returns at the second watch
 *     char *log = apiserver_ask(s, "requests");            // one request a line; the caller frees it
 *     apiserver_stop(s);
 *
 * The child dies with its parent (PR_SET_PDEATHSIG) and when its stdin closes. Strings returned as const are borrowed
 * from the handle. Links with nothing but libc. */
#ifndef TESTS_APISERVER_H
#define TESTS_APISERVER_H

struct apiserver;

/* Starts the server with these arguments (NULL-terminated; NULL for none) after "--port 0 --control", and waits until
 * it accepts connections. The program is $TEST_APISERVER, else .build/bin/test-apiserver. NULL on failure, the reason
 * on stderr. Useful arguments: --http1, --h2 (cleartext, prior knowledge), --tls (certificates made on the spot in the
 * kubeconfig's directory; ALPN h2 and http/1.1; with --http1 only that), --token T, --scenario FILE, --crd FILE,
 * --absent GROUP (not served until the command `serve GROUP`). */
struct apiserver *apiserver_start(const char *const *arguments);

/* Ends the child and frees the handle. NULL is fine. Returns the child's exit code, -1 if it was killed. */
int apiserver_stop(struct apiserver *s);

int apiserver_port(const struct apiserver *s);
const char *apiserver_url(const struct apiserver *s);        /* "http://127.0.0.1:1234" or https */
const char *apiserver_kubeconfig(const struct apiserver *s); /* path of a kubeconfig for it, removed by stop */
const char *apiserver_directory(const struct apiserver *s);  /* of the kubeconfig, ca.crt, client.crt, client.key */
int apiserver_pid(const struct apiserver *s);

/* Runs lines of the scenario language now, in order, and waits for the last of them. 0, or -1 with the server's
 * one-line reason on stderr. A `wait ...` that does not come true within 60 s (or `wait 5s ...`) is a failure. */
int apiserver_do(struct apiserver *s, const char *lines);
int apiserver_dof(struct apiserver *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As apiserver_do for one command that prints; returns what it printed (heap, caller frees), or NULL on failure.
 * Commands that print: `requests` (one line each: METHOD VERB RESOURCE PATH?QUERY -> CODE, oldest first),
 * `count VERB RESOURCE` (a number), `open VERB RESOURCE` (streams open now), `get RESOURCE NAMESPACE/NAME` (JSON),
 * `list RESOURCE` (names, one a line), `rv` (the newest resourceVersion), `connections` (accepted so far). */
char *apiserver_ask(struct apiserver *s, const char *line);
long apiserver_asknumber(struct apiserver *s, const char *line); /* -1 on failure */

#endif
