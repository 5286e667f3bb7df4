/* archive: what a job's archive gets: its spans as they settle, in the order of their time, and what belongs to its
 * end. Statuses are the same with and without it. */
#ifndef OPERATOR_MODEL_ARCHIVE_H
#define OPERATOR_MODEL_ARCHIVE_H

#include "operator/job/job.h"
#include "operator/status/view.h"

/* Before an evaluation: has the job's ledger report what settles. Does nothing without an archive. */
void job_archive_listen(struct model_job *job);
/* After an evaluation whose result is final. Where entries do not keep changes, the archive begins again with their
 * sums. */
void job_archive_end(struct model_job *job, const struct view *v, const struct ledger_entries *entries,
                     struct slice status);

/* JSON lines (status/records.h) of the time [from_ms, to_ms). */
struct archive_piece {
    char *before; /* heap: the lines that an archive starts with at from_ms; NULL: they were taken before */
    char *lines;  /* heap */
    const char *target_uid;
    int64_t from_ms, to_ms;
    int64_t stored_ms; /* up to here, all is where no restart loses it; 0: not known */
    bool is_final;     /* the rest of the job, and its status */
    bool is_restart;   /* does not continue what was archived of the job before */
};
/* The next piece, which the caller owns; false: nothing has settled since. After an evaluation and its checkpoint, so
 * that a successor that starts from that checkpoint continues behind this piece. */
bool model_job_archive_next(struct model_job *job, struct archive_piece *piece);
void archive_piece_done(struct archive_piece *piece);
/* All up to there is where no restart loses it: the next checkpoint has that. */
void model_job_archive_stored(struct model_job *job, int64_t until_ms);
/* A piece was lost: the archive begins again, with sums of the time before. */
void model_job_archive_restart(struct model_job *job);

#endif
