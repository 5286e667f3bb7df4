#include "rootcause/stack.h"

#include "base/mem.h"

void stack_take(struct stack *s, struct slice line) {
    static const char *const collectives[] = {"torch/distributed/distributed_c10d.py",
                                              "torch/distributed/c10d_logger.py", "jax/experimental/multihost_utils.py",
                                              "horovod/torch/mpi_ops.py", "deepspeed/comm/"};
    if (slice_ends(line, "(most recent call first):"))
        *s = (struct stack){.is_there = false};
    if (!slice_starts(line, "File "))
        return;
    if (!s->is_there)
        s->innermost = slice_hash(line);
    s->is_there = true;
    for (size_t i = 0; i < ARRAY_SIZE(collectives); i++)
        s->is_in_collective |= slice_contains(line, collectives[i]);
}
