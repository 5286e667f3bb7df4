/* rawserver: an HTTP/1.1 server on the test's own loop that sends exactly the given bytes, in the given
 * pieces: whole, one byte a turn, cut off by a reset, or nothing at all. For faults that a real server cannot be asked
 * for. */
#ifndef TESTS_RAWSERVER_H
#define TESTS_RAWSERVER_H

#include "base/slice.h"
#include "io/loop.h"

struct rawserver;
struct rawconn;

/* Called for each whole request (head and body). What it does not answer stays open and silent. */
typedef void rawserver_handler(void *context, struct rawconn *c, struct slice request);

struct rawserver *rawserver_new(struct loop *loop, rawserver_handler *handler, void *context);
void rawserver_free(struct rawserver *s);
const char *rawserver_url(const struct rawserver *s); /* "http://127.0.0.1:1234" */
int rawserver_connections(const struct rawserver *s); /* accepted so far */

void rawconn_send(struct rawconn *c, const char *bytes);
void rawconn_send_slice(struct rawconn *c, struct slice bytes);
/* head and body with Content-Length. */
void rawconn_reply(struct rawconn *c, int status, const char *extra_headers, const char *body);
void rawconn_drip(struct rawconn *c, bool is_on); /* what follows goes out one byte a turn */
void rawconn_close(struct rawconn *c);            /* after what was sent */
void rawconn_reset(struct rawconn *c);            /* after what was sent, by RST */

/* Runs the loop until *done, for two minutes at most; false if it did not come. */
bool loop_until(struct loop *loop, const bool *done);
/* Runs the loop that long: for "nothing more comes". */
bool loop_for(struct loop *loop, int64_t us);

#endif
