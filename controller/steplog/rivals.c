/* Two step counters that explain the same time within a factor, and disagree on the number of steps. (Lines of two
 * formats with the same number are one step to the parser.) */
#include "steplog/steplog.h"

enum { MIN_STEPS = 3, MIN_SHARE = 2 };

void steplog_rivals_add(struct steplog_rivals *to, const struct steplog_rivals *from) {
    for (int i = 0; i < STEPLOG_FORMAT_COUNT; i++)
        to->steps[i] += from->steps[i];
}

bool steplog_rivals_find(const struct steplog_rivals *rivals, enum steplog_format ret[static 2]) {
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
