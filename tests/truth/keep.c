#include "keep.h"

#include "write.h"

#include <stdio.h>
#include <sys/stat.h>

#define LOG_BYTES (64 << 20)

static bool keep_file(const char *path, const char *text, size_t size) {
    FILE *f = fopen(path, "w");
    bool is_written = f != NULL && fwrite(text, 1, size, f) == size;
    if ((f != NULL && fclose(f) != 0) || !is_written) {
        perror(path);
        return false;
    }
    return true;
}

static bool keep_arguments(const char *folder) {
    char path[600];
    struct buf text;
    buf_init(&text, LOG_BYTES);
    buf_format(&text, "--format\nRegex\n--regex\nstep=%s\n--regex\ncheckpointStart=%s\n", write_patterns.step,
               write_patterns.checkpoint_start);
    buf_format(&text, "--regex\ncheckpointSaved=%s\n--regex\ncheckpointRestored=%s\n", write_patterns.checkpoint_saved,
               write_patterns.checkpoint_restored);
    snprintf(path, sizeof path, "%s/arguments", folder);
    bool is_kept = keep_file(path, text.data, text.size_bytes);
    buf_done(&text);
    return is_kept;
}

static bool keep_job(struct job *job, const char *dir) {
    char folder[512], path[600];
    snprintf(folder, sizeof folder, "%s/%s-%llu", dir, steplog_format_name(job->format), (unsigned long long)job->seed);
    mkdir(dir, 0755);
    mkdir(folder, 0755);
    for (int i = 0; i < job->attempt_count; i++) {
        struct buf text;
        buf_init(&text, LOG_BYTES);
        write_log(job, &job->attempts[i], &text);
        snprintf(path, sizeof path, "%s/attempt-%d.log", folder, i + 1);
        bool is_kept = text.size_bytes == 0 || keep_file(path, text.data, text.size_bytes);
        buf_done(&text);
        if (!is_kept)
            return false;
    }
    return job->format != STEPLOG_REGEX || keep_arguments(folder);
}

bool keep_logs(const char *dir, enum steplog_format format, uint64_t seed, int64_t jobs, int64_t min_ms) {
    bool is_kept = true;
    while (jobs > 0 && is_kept) {
        struct job job;
        sim_run(&job, seed++, format);
        if (job.end_ms - job.start_ms >= min_ms) {
            is_kept = keep_job(&job, dir);
            jobs--;
        }
        sim_done(&job);
    }
    return is_kept;
}
