#include "operator/job/archive.h"

void job_archive_done(struct job_archive *archive) {
    buf_done(&archive->before);
    buf_done(&archive->parts);
    buf_done(&archive->end);
}
