/* stack: where the main thread of a process was when it could not continue. faulthandler prints a stack a thread, each
 * with its innermost frame first; the main thread's is the last one. The traceback of an exception counts where a
 * collective raised it: the process waited there, and stacks after it are of its teardown. Pure. */
#ifndef ROOTCAUSE_STACK_H
#define ROOTCAUSE_STACK_H

#include "base/slice.h"

#include <stdint.h>

struct stack {                       /* all-zero: none */
    bool is_there, is_in_collective; /* is_in_collective: a frame is of a library's collectives */
    bool is_raised;                  /* a collective raised an exception: no later stack counts */
    uint64_t innermost;              /* frame, as a hash */
};
void stack_take(struct stack *s, struct slice line);           /* of a stack */
void stack_take_traceback(struct stack *s, struct slice line); /* of an exception's traceback */

#endif
