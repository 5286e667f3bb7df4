#include "cli/analyze.h"

#include "base/mem.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define MAX_FILE_BYTES ((size_t)16 << 30)

static int read_stream(struct analyze_file *f, FILE *in, struct error **err) {
    struct stat st;
    size_t capacity = 1 << 16;
    if (fstat(fileno(in), &st) == 0 && S_ISDIR(st.st_mode))
        return error_set(err, EISDIR, "%s: a folder; name the files in it", f->path);
    f->bytes = mem_resize(NULL, capacity, 1);
    for (;;) {
        size_t n = fread(f->bytes + f->size_bytes, 1, capacity - f->size_bytes, in);
        f->size_bytes += n;
        if (n == 0)
            break;
        if (f->size_bytes == capacity) {
            if (capacity > MAX_FILE_BYTES)
                return error_set(err, EFBIG, "%s: longer than 16 GiB", f->path);
            f->bytes = mem_resize(f->bytes, capacity *= 2, 1);
        }
    }
    if (ferror(in))
        return error_set(err, EIO, "%s: %s", f->path, strerror(errno));
    return 0;
}

/* A regular file is mapped: most of its bytes are looked at once. */
static bool map_file(struct analyze_file *f, FILE *in) {
    struct stat st;
    if (fstat(fileno(in), &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
        return false;
    void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fileno(in), 0);
    if (bytes == MAP_FAILED)
        return false;
    f->bytes = bytes;
    f->size_bytes = (size_t)st.st_size;
    f->is_mapped = true;
    return true;
}

static int read_file(struct analyze_file *f, struct error **err) {
    bool is_stdin = strcmp(f->path, "-") == 0;
    FILE *in = is_stdin ? stdin : fopen(f->path, "rb");
    if (in == NULL)
        return error_set(err, errno, "%s: %s", f->path, strerror(errno));
    int r = map_file(f, in) ? 0 : read_stream(f, in, err);
    if (r == 0 && f->size_bytes > 2 && memcmp(f->bytes, "\x1f\x8b", 2) == 0)
        r = error_set(err, EINVAL, "%s: compressed; use: zcat %s | kubectl goodput analyze -", f->path, f->path);
    if (!is_stdin)
        fclose(in);
    return r;
}

static void print_help(void) {
    fputs(
        "kubectl goodput analyze FILE... : where the time went, by the step logs of one job's attempts in time "
        "order\n\n"
        "  --definition ledger|library|both   our ledger (the default), or what ml-goodput-measurement 0.2.3 says\n"
        "  --format FORMAT                    Auto (the default), Recorder, MaxText, ...; the library reads Recorder\n"
        "  --at TIME                          up to here; default: the largest time in the log\n"
        "  --window SECONDS,...               rolling windows up to then\n"
        "  --ideal-step SECONDS               default: learnt from the log\n"
        "  --from TIME [--to TIME], --exclude FROM,TO, --step-deviation    with --definition library\n"
        "  -o table|json|yaml\n\n"
        "TIME is RFC 3339 or Unix seconds; FILE - is standard input.\n",
        stdout);
}

/* {"status": ...}, as explain draws it. */
static int draw_ledger(const struct buf *json, const struct analyze *a, struct buf *out, struct error **err) {
    json_error_t why;
    json_t *status = json_loadb(json->data, json->size_bytes, 0, &why);
    CLEANUP_FREE char *what = a->file_count > 1 ? mem_format("logs in %zu files", a->file_count) : mem_strdup("log");
    json_t *job = json_pack("{s:{s:s}, s:{s:{s:s, s:s}}, s:o}", "metadata", "name", a->files[0].path, "spec",
                            "targetRef", "kind", "step", "name", what, "status", status);
    if (job == NULL)
        return error_set(err, EINVAL, "the status cannot be read back: %s", why.text);
    cli_explain_draw(job, &a->style, out);
    json_decref(job);
    return 0;
}

static int draw(const struct analyze *a, const struct buf *ledger, const struct buf *library, struct buf *out,
                struct error **err) {
    json_error_t why;
    if (ledger->size_bytes > 0) {
        int r = draw_ledger(ledger, a, out, err);
        if (r < 0)
            return r;
    }
    if (library->size_bytes == 0)
        return 0;
    if (ledger->size_bytes > 0)
        buf_append_char(out, '\n');
    json_t *answer = json_loadb(library->data, library->size_bytes, 0, &why);
    if (answer == NULL)
        return error_set(err, EINVAL, "the answer cannot be read back: %s", why.text);
    analyze_library_draw(answer, &a->style, out);
    json_decref(answer);
    return 0;
}

static int print(const struct analyze *a, const struct buf *ledger, const struct buf *library, struct error **err) {
    CLEANUP_BUF struct buf out;
    int r = 0;
    buf_init(&out, (size_t)1 << 30);
    if (strcmp(a->output, "table") == 0) {
        r = draw(a, ledger, library, &out, err);
        return r < 0 ? r : cli_write(&out, err);
    }
    if (a->definition == ANALYZE_BOTH) {
        buf_append_text(&out, "{\"ledger\": ");
        buf_append_slice(&out, buf_slice(ledger));
        buf_append_text(&out, ", \"library\": ");
        buf_append_slice(&out, buf_slice(library));
        buf_append_text(&out, "}");
    } else {
        buf_append_slice(&out, buf_slice(a->definition == ANALYZE_LEDGER ? ledger : library));
    }
    if (strcmp(a->output, "yaml") == 0) {
        json_error_t why;
        json_t *value = json_loadb(out.data, out.size_bytes, 0, &why);
        if (value == NULL)
            return error_set(err, EINVAL, "the answer cannot be read back: %s", why.text);
        buf_clear(&out);
        cli_yaml(&out, value);
        json_decref(value);
    } else {
        buf_append_char(&out, '\n'); /* as written: a double read and written again might show other digits */
    }
    return cli_write(&out, err);
}

static int run(struct analyze *a, struct error **err) {
    CLEANUP_BUF struct buf ledger;
    CLEANUP_BUF struct buf library;
    int r = 0;
    buf_init(&ledger, (size_t)16 << 20);
    buf_init(&library, (size_t)1 << 30);
    for (size_t i = 0; i < a->file_count && r == 0; i++)
        r = read_file(&a->files[i], err);
    if (r == 0 && a->definition != ANALYZE_LIBRARY)
        r = analyze_ledger(a, &ledger, err);
    if (r == 0 && a->definition != ANALYZE_LEDGER)
        r = analyze_library(a, &library, err);
    return r < 0 ? r : print(a, &ledger, &library, err);
}

int cli_analyze(int argc, char **argv, const struct text_style *style) {
    struct analyze a;
    CLEANUP_ERROR struct error *err = NULL;
    int code = 0;
    if (analyze_parse(&a, argc, argv, &err) < 0) {
        code = 2;
    } else if (a.wants_help) {
        print_help();
    } else {
        a.style = *style;
        code = run(&a, &err) < 0 ? 1 : 0;
    }
    if (code != 0)
        fprintf(stderr, "kubectl-goodput: %s\n", error_text(err));
    analyze_done(&a);
    return code;
}
