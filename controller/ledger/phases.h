/* phases: how long the parts of steps took, as lines give it (RECORD_PHASE): sums by name over the retained steps.
 * Parts lie within their step and may overlap, so they change no bucket. A line's phases count with its last step,
 * where that ends. Jobs without phases have a NULL pointer here and there. Private to ledger/. */
#ifndef LEDGER_PHASES_H
#define LEDGER_PHASES_H

#include "ledger/evaluate.h"

#include <stddef.h>

#define PHASES (LEDGER_MAX_PHASES + 1) /* the last is Other, for names beyond the first ones */
#define PHASE_MARKS 256                /* rollbacks to the newest checkpoints are exact */

struct codec;
struct lines_seen;
struct process;
struct settled;
struct step_list;
struct training;
struct view;

struct phase_names {
    size_t count;
    char names[LEDGER_MAX_PHASES][RECORD_NAME_SIZE];
};

struct phase_list { /* of a list of steps */
    struct phase_mark {
        size_t index; /* of the step in its list */
        int32_t ms[PHASES];
    } * items; /* ascending */
    size_t count, capacity;
    uint32_t pending_line; /* of step_list.pending; 0: none */
    int32_t pending_ms[PHASES];
};

struct process_phases {
    struct phase_names names;
    struct phase_list of_ends, of_starts;
};

/* Of the settled part. */
struct settled_phases {
    struct phase_names names;
    int64_t ms[PHASES];
    struct phase_cut {
        int64_t steps; /* retained when a checkpoint was made, or a series began */
        int64_t ms[PHASES];
    } * marks; /* ascending; the caller of a rollback loses what came later */
    size_t count, capacity;
};

/* ---- records ---- */

/* Of the last line: each phase counts once, by its place in the line. */
bool phases_is_seen(struct lines_seen *lines, const struct record *r);
/* A record of a phase: of the step that its line reports (r->step), or of the last one. */
void phases_add(struct process *p, const struct record *r);
/* The list's pending step became its last item. */
void phases_keep_pending(struct process *p, const struct step_list *list);
/* The list's steps before item `first` are dropped. */
void phases_drop(struct process *p, const struct step_list *list, size_t first);
/* Item i of the list becomes item to[i], perhaps as one of several; SIZE_MAX: it is dropped. */
void phases_move(struct phase_list *list, const size_t *to);
/* The lists of another process were appended to these, which had `ends` and `starts` items. */
void phases_append(struct process *p, const struct process_phases *from, size_t ends, size_t starts);
void phases_visit(struct codec *c, struct process *p);
void phases_free(struct process_phases *phases);

/* ---- the job's sums ---- */

/* Maps the names of all processes to the job's: the first ones, by process and then by first use. */
void phases_map(struct training *t);
/* Adds what the view's lines [first, end) give. */
void phases_sum(const struct view *v, size_t first, size_t end, int64_t ms[static PHASES]);

/* ---- the settled part ---- */

struct settled_phases *settled_phases_copy(const struct settled_phases *s);
void settled_phases_free(struct settled_phases *s);
void settled_phases_add_mark(struct settled_phases *s, int64_t steps, const int64_t ms[static PHASES]);
/* Keeps the newest marks. */
void settled_phases_thin(struct settled_phases *s, size_t max);
/* Of `steps` steps `retained` are left: what they took is prorated by steps between two marks. */
void settled_phases_cut(struct settled_phases *s, int64_t retained, int64_t steps);
void settled_phases_visit(struct codec *c, struct settled *s);

#endif
