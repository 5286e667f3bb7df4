#include "rootcause/stack.h"

#include "base/mem.h"

static bool is_of_collective(struct slice line) {
    static const char *const collectives[] = {"torch/distributed/distributed_c10d.py",
                                              "torch/distributed/c10d_logger.py", "jax/experimental/multihost_utils.py",
                                              "horovod/torch/mpi_ops.py", "deepspeed/comm/"};
    for (size_t i = 0; i < ARRAY_SIZE(collectives); i++)
        if (slice_contains(line, collectives[i]))
            return true;
    return false;
}

void stack_take(struct stack *s, struct slice line) {
    if (s->is_raised)
        return;
    if (slice_ends(line, "(most recent call first):"))
        *s = (struct stack){.is_there = false};
    if (!slice_starts(line, "File "))
        return;
    if (!s->is_there)
        s->innermost = slice_hash(line);
    s->is_there = true;
    s->is_in_collective |= is_of_collective(line);
}

void stack_take_traceback(struct stack *s, struct slice line) {
    if (!s->is_there && slice_starts(line, "File ") && is_of_collective(line))
        *s = (struct stack){.is_there = true, .is_in_collective = true, .is_raised = true};
}
