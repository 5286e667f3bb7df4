/* last_words: reads the ends of the logs that the model asks for, a bounded number at once over all jobs. What fails is
 * tried again, later than what was not tried yet. */
#ifndef OPERATOR_RUNTIME_LAST_WORDS_H
#define OPERATOR_RUNTIME_LAST_WORDS_H

#include "kube/client.h"
#include "operator/model/model.h"

struct last_words;     /* of the whole process */
struct last_words_job; /* of one job; NULL: it asks for none */

/* on_change: the model heard something. */
struct last_words *last_words_new(struct kube_client *client, int64_t max_reads, loop_callback *on_change,
                                  void *context);
void last_words_free(struct last_words *words); /* after every job's last_words_drop */

/* Starts what the model asks for of this job, as far as there is room. */
void last_words_observe(struct last_words *words, struct model_job *job, struct last_words_job **mine);
void last_words_drop(struct last_words_job **mine);

#endif
