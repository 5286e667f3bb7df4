/* silence: time in which a node sent no heartbeat, and its meaning for the pods on the node. */
#ifndef OPERATOR_FACTS_SILENCE_H
#define OPERATOR_FACTS_SILENCE_H

#include "operator/facts/sink.h"

/* The trouble of its node affects the pod: it became visible before the pod ended, or up to slack_ms later. */
bool fact_is_touched(const struct pod *p, const struct node_trouble *trouble, int64_t slack_ms);
void fact_add_silence(const struct pod *p, struct sink *sink);
/* Time of the node's last heartbeat before that trouble; if unknown, when the trouble became visible. */
int64_t fact_node_silent_from_ms(const struct node *n, const struct node_trouble *trouble);
/* Start of a silence of its node that is not explained yet; TIME_OPEN: the node is not silent. */
int64_t fact_pod_silent_ms(const struct pod *p);
/* The trouble of its node that caused the pod's loss; NULL: none. */
const struct node_trouble *fact_pod_loss_by_node(const struct pod *p, int64_t *ret_from_ms);

#endif
