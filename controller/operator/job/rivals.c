#include "operator/job/rivals.h"

enum { MIN_STEPS = 3, MIN_SHARE = 2 };

void rivals_note(struct rivals *rivals, const struct steplog *parser, const struct record *r) {
    enum steplog_format format = steplog_counts_get(parser).recognized;
    if ((r->kind == RECORD_STEP_START || r->kind == RECORD_STEP_END) && format != STEPLOG_RECORDER)
        rivals->steps[format]++;
}

void rivals_add(struct rivals *to, const struct rivals *from) {
    for (int i = 0; i < STEPLOG_FORMAT_COUNT; i++)
        to->steps[i] += from->steps[i];
}

bool rivals_find(const struct rivals *rivals, enum steplog_format ret[static 2]) {
    int first = STEPLOG_AUTO, second = STEPLOG_AUTO;
    for (int i = STEPLOG_AUTO + 1; i < STEPLOG_FORMAT_COUNT; i++)
        if (first == STEPLOG_AUTO || rivals->steps[i] > rivals->steps[first]) {
            second = first;
            first = i;
        } else if (second == STEPLOG_AUTO || rivals->steps[i] > rivals->steps[second]) {
            second = i;
        }
    if (rivals->steps[second] < MIN_STEPS || rivals->steps[second] * MIN_SHARE < rivals->steps[first])
        return false;
    ret[0] = (enum steplog_format)first;
    ret[1] = (enum steplog_format)second;
    return true;
}
