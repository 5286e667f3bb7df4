/* survived: what a log showed before a step that its process still made. */
#ifndef ROOTCAUSE_SURVIVED_H
#define ROOTCAUSE_SURVIVED_H

#include "rootcause/log_internal.h"

/* After a step: what was found before it is only of use if nothing is found later, or is dropped. */
void survived_take_step(struct rootcause_log *log);

#endif
