/* stack: where the main thread of a process was when faulthandler printed its stacks. It prints one a thread, each with
 * its innermost frame first; the main thread's is the last one. Pure. */
#ifndef ROOTCAUSE_STACK_H
#define ROOTCAUSE_STACK_H

#include "base/slice.h"

#include <stdint.h>

struct stack {                       /* all-zero: none */
    bool is_there, is_in_collective; /* is_in_collective: a frame is of a library's collectives */
    uint64_t innermost;              /* frame, as a hash */
};
void stack_take(struct stack *s, struct slice line); /* of a stack */

#endif
