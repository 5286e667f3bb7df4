#include "archive_keep.h"

#include "operator/model/archive.h"
#include "operator/store/target.h"

#include <stdio.h>

static struct archive_key key_of(const struct model_job *job, const char *cluster, const char *target_uid) {
    static int64_t keys; /* as if each was a second later */
    return (struct archive_key){cluster, model_job_namespace(job), model_job_name(job), model_job_uid(job), target_uid,
                                ++keys};
}

int archive_keep(struct model_job *job, const char *root, const char *cluster) {
    struct archive_piece piece;
    int64_t end_ms;
    int count = 0, r = 0;
    while (r == 0 && model_job_archive_next(job, &piece)) {
        CLEANUP_ERROR struct error *err = NULL;
        const struct archive_key key = key_of(job, cluster, piece.target_uid);
        const struct archive_part part = {piece.from_ms, piece.to_ms, piece.is_final};
        r = archive_volume_append(root, &key, &part, piece.before, slice_of(piece.lines), piece.is_restart, &end_ms,
                                  &err);
        if (r < 0)
            fprintf(stderr, "%s\n", error_text(err));
        archive_piece_done(&piece);
        count++;
    }
    return r < 0 ? -1 : count;
}

int archive_keep_complete(struct model_job *job, const char *root, const char *cluster) {
    CLEANUP_ERROR struct error *err = NULL;
    const struct archive_key key = key_of(job, cluster, job->target->uid);
    int count;
    if (archive_volume_publish(root, &key, false, &count, NULL, &err) < 0) {
        fprintf(stderr, "%s\n", error_text(err));
        return -1;
    }
    return count;
}
