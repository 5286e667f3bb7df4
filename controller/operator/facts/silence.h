/* silence: time in which the node under a pod gave no sign of life. */
#ifndef OPERATOR_FACTS_SILENCE_H
#define OPERATOR_FACTS_SILENCE_H

#include "operator/facts/sink.h"

/* The trouble showed while the pod was there, give or take: what had ended before is not touched by it. */
bool fact_is_touched(const struct pod *p, const struct node_trouble *trouble, int64_t slack_ms);
void fact_add_silence(const struct pod *p, struct sink *sink);
/* When the node under the pod was last heard of before that trouble; when it showed, if nothing tells. */
int64_t fact_node_silent_from_ms(const struct node *n, const struct node_trouble *trouble);
/* Since when its node gives no sign of life, which nothing has explained yet; TIME_OPEN: it does. */
int64_t fact_pod_silent_ms(const struct pod *p);
/* The trouble of its node during which it was deleted or disrupted, and so the loss; NULL: none. */
const struct node_trouble *fact_pod_loss_by_node(const struct pod *p, int64_t *ret_from_ms);

#endif
