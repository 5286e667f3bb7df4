#include "cli/analyze/cloud.h"

#include "base/mem.h"
#include "sources/cloud_logging.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOOK_AGAIN_US INT64_C(2000000) /* between retries; half of it before the first */
#define SHOW_EVERY 1000

struct fetch {
    struct loop *loop;
    FILE *file;
    int64_t entries;
    bool is_shown;
    int result;
    struct error **err;
};

struct names {
    char *project, *logger, *job;
};

static void names_done(struct names *n) {
    free(n->project);
    free(n->logger);
    free(n->job);
}

static bool split(const char *log, struct names *n) {
    const char *first = strchr(log, '/'), *last = strrchr(log, '/');
    if (first == NULL || first == log || last < first + 2 || last[1] == '\0')
        return false;
    *n = (struct names){.project = mem_strndup(log, (size_t)(first - log)),
                        .logger = mem_strndup(first + 1, (size_t)(last - first - 1)),
                        .job = mem_strdup(last + 1)};
    return true;
}

int analyze_cloud_check(const char *log, struct error **err) {
    struct names n = {0};
    if (!split(log, &n))
        return error_set(err, EINVAL,
                         "--cloud-logging %s: write PROJECT/LOGGER/JOB, such as my-project/goodput_run1/run1", log);
    names_done(&n);
    return 0;
}

static void end(struct fetch *f, int result) {
    f->result = result;
    loop_stop(f->loop, 0);
}

static bool on_line(void *context, int64_t stamp_ms, struct slice line) {
    struct fetch *f = context;
    (void)stamp_ms;
    if (f->result < 0)
        return false;
    if (fwrite(line.data, 1, line.size_bytes, f->file) != line.size_bytes || fputc('\n', f->file) == EOF) {
        end(f, error_set(f->err, errno, "cannot write the entries to a file in /tmp: %s", strerror(errno)));
        return false;
    }
    if (++f->entries % SHOW_EVERY == 0 && isatty(STDERR_FILENO)) {
        f->is_shown = true;
        fprintf(stderr, "\rCloud Logging: %lld entries", (long long)f->entries);
    }
    return true;
}

static void on_cursor(void *context, struct slice cursor) {
    (void)context, (void)cursor; /* the log is read once */
}

static void on_read(void *context, int64_t through_ms) {
    struct fetch *f = context;
    (void)through_ms;
    end(f, 0);
}

static void on_trouble(void *context, const char *text) {
    struct fetch *f = context;
    if (text != NULL)
        end(f, error_set(f->err, EIO, "%s", text));
}

static void follow(struct fetch *f, const struct analyze_cloud *cloud, const struct names *n) {
    const struct source_handler handler = {on_line, on_cursor, on_read, on_trouble, f, NULL};
    const struct source_cloud_logging_options options = {
        .project = n->project, .logger = n->logger, .job_name = n->job, .poll_us = LOOK_AGAIN_US, .settle_us = 1};
    struct http_client *http = http_client_new(f->loop);
    struct gcp_tokens *tokens = gcp_tokens_new(f->loop, http, cloud->credentials);
    struct cloud_logging *service = cloud_logging_new(f->loop, http, tokens, cloud->endpoint);
    struct source *source = source_cloud_logging_new(service, &options, &handler, f->err);
    if (source != NULL)
        loop_run(f->loop);
    else
        f->result = -EINVAL;
    source_free(source);
    cloud_logging_free(service);
    gcp_tokens_free(tokens);
    http_client_free(http);
}

/* Opens a separate descriptor at the start of the file. */
static int take_file(struct fetch *f) {
    int fd = fflush(f->file) == 0 ? dup(fileno(f->file)) : -1;
    if (fd >= 0 && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    int code = errno;
    if (fd >= 0)
        close(fd);
    return error_set(f->err, code, "cannot write the entries to a file in /tmp: %s", strerror(code));
}

int analyze_cloud_fetch(const struct analyze_cloud *cloud, struct error **err) {
    struct fetch f = {.err = err};
    struct names n = {0};
    int r = analyze_cloud_check(cloud->log, err);
    if (r < 0)
        return r;
    f.loop = loop_new(err);
    if (f.loop == NULL)
        return -EIO;
    f.file = tmpfile();
    if (f.file == NULL) {
        loop_free(f.loop);
        return error_set(err, errno, "cannot create a file for the entries in /tmp: %s", strerror(errno));
    }
    split(cloud->log, &n);
    follow(&f, cloud, &n);
    if (f.is_shown)
        fputs("\r\033[K", stderr);
    if (f.result == 0 && f.entries == 0)
        f.result = error_set(
            err, ENOENT,
            "Cloud Logging has no entry of job \"%s\" in the logger \"%s\" of project %s: check the names, and "
            "the logger's retention (30 days by default)",
            n.job, n.logger, n.project);
    if (f.result == 0)
        f.result = take_file(&f);
    names_done(&n);
    fclose(f.file);
    loop_free(f.loop);
    return f.result;
}
