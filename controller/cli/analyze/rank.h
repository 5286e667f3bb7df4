/* analyze_rank: whose line it is, in a file that holds the lines of several processes: by what launchers and log
 * collectors put in front of it, or by the pod and container that its JSON names. */
#ifndef CLI_ANALYZE_RANK_H
#define CLI_ANALYZE_RANK_H

#include "base/buf.h"

enum analyze_rank_kind {
    RANK_LAUNCHER, /* torchrun's "[default3]:", PyTorch's "[rank3]:", Open MPI's "[1,3]<stdout>:" */
    RANK_SRUN,     /* srun --label's "3: " */
    RANK_KUBECTL,  /* kubectl logs --prefix's "[pod/name/container] " */
    RANK_STERN,    /* stern's "name container " */
    RANK_JSON,     /* the names in a log collector's object */
    RANK_KINDS
};

#define ANALYZE_RANK_BYTES 200

struct analyze_ranks { /* all-zero: every line is everybody's */
    bool is_read[RANK_KINDS];
    char stream[ANALYZE_RANK_BYTES]; /* of the last object of labels alone, which the values behind it belong to */
};

struct analyze_rank {
    char name[ANALYZE_RANK_BYTES]; /* for people and to compare: "rank 3", "trainer-0/main" */
    struct slice stamp, text;      /* the line without the prefix: a stamp that stood before it, and what follows */
};

/* Which prefixes most of these lines have. */
void analyze_ranks_look(struct analyze_ranks *ranks, struct slice lines);
bool analyze_ranks_any(const struct analyze_ranks *ranks);
/* A line without its newline; false if it has none of the prefixes. */
bool analyze_rank_take(struct analyze_ranks *ranks, struct slice line, struct analyze_rank *ret);

#endif
