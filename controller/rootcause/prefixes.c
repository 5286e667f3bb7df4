#include "rootcause/prefixes.h"

#include "base/mem.h"
#include "base/rfc3339.h"

#include <ctype.h>

enum { MAX_PREFIXES = 4, MAX_HOST_BYTES = 64, SUFFIX_BYTES = 5 };

/* "[rank3]: ", "[default3]:" (torchrun --tee), "[1,3]<stderr>:" (mpirun), "[1,mpirank:3,algo-1]<stderr>:" (SageMaker).
 */
static bool take_bracket(struct slice *text, int64_t *rank) {
    struct slice rest = *text;
    int64_t number, job;
    if (!slice_take_char(&rest, '['))
        return false;
    bool is_rank = slice_take_prefix(&rest, "rank"), is_local = !is_rank && slice_take_prefix(&rest, "default");
    if (!slice_take_uint(&rest, &number))
        return false;
    if (!is_rank && !is_local) {
        job = number;
        if (!slice_take_char(&rest, ','))
            return false;
        bool is_named = slice_take_prefix(&rest, "mpirank:");
        if (!slice_take_uint(&rest, &number) || job < 0)
            return false;
        const char *close = is_named ? slice_find_char(rest, ']') : NULL;
        rest = slice_skip(rest, close != NULL ? (size_t)(close - rest.data) : 0);
        if (!slice_take_prefix(&rest, "]<stderr>:") && !slice_take_prefix(&rest, "]<stdout>:"))
            return false;
    } else if (!slice_take_prefix(&rest, "]:")) {
        return false;
    }
    if (!is_local)
        *rank = number;
    *text = rest;
    return true;
}

/* "3: " (srun --label), "worker-3: " (pdsh, DeepSpeed): a number, or lower-case letters that end in one. */
static bool take_host(struct slice *text, int64_t *rank) {
    size_t n = 0;
    while (n < text->size_bytes && n < MAX_HOST_BYTES &&
           (islower((unsigned char)text->data[n]) || isdigit((unsigned char)text->data[n]) ||
            (n > 0 && (text->data[n] == '-' || text->data[n] == '.'))))
        n++;
    if (n == 0 || n + 2 > text->size_bytes || text->data[n] != ':' || text->data[n + 1] != ' ' ||
        !isdigit((unsigned char)text->data[n - 1]))
        return false;
    struct slice number = {text->data, n};
    int64_t value;
    if (slice_take_uint(&number, &value) && number.size_bytes == 0)
        *rank = value;
    *text = slice_skip(*text, n + 2);
    return true;
}

/* "(RayTrainWorker pid=123, ip=10.0.0.1) ", "(EngineCore_0 pid=12) ". */
static bool take_actor(struct slice *text) {
    const char *end = text->size_bytes > 0 && text->data[0] == '(' ? slice_find_char(*text, ')') : NULL;
    if (end == NULL || !slice_contains(slice_range(text->data, end), " pid="))
        return false;
    *text = slice_skip(*text, (size_t)(end + 1 - text->data));
    slice_take_char(text, ' ');
    return true;
}

/* "[pod/trainer-0/main] " (kubectl logs --prefix), "worker-1  | " (docker compose), "> " of a text that is quoted. */
static bool take_source(struct slice *text) {
    struct slice rest = *text, name = {text->data, 0};
    if (slice_take_prefix(&rest, "[pod/") && slice_take_until(&rest, ']', &name)) {
        slice_take_char(&rest, ' ');
        *text = rest;
        return true;
    }
    if (slice_take_prefix(text, "> "))
        return true;
    if (slice_find_char(*text, '|') == NULL) /* nearly all lines */
        return false;
    while (name.size_bytes < text->size_bytes && name.size_bytes < MAX_HOST_BYTES &&
           (isalnum((unsigned char)text->data[name.size_bytes]) || text->data[name.size_bytes] == '-'))
        name.size_bytes++;
    rest = slice_skip(*text, name.size_bytes);
    if (!slice_contains(name, "-") || !slice_starts(rest, " ") || !slice_starts(slice_trim(rest), "| "))
        return false;
    *text = slice_skip(slice_trim(rest), strlen("| "));
    return true;
}

/* ---- stern ---- */

/* The size of a name as Kubernetes has them (RFC 1123): lower-case letters, digits, '-' and '.'. */
static size_t name_size(struct slice text) {
    size_t n = 0;
    while (n < text.size_bytes && (islower((unsigned char)text.data[n]) || isdigit((unsigned char)text.data[n]) ||
                                   (n > 0 && (text.data[n] == '-' || text.data[n] == '.'))))
        n++;
    return n;
}

/* The name of a pod that a controller made ends in an index or in five characters of a set without vowels (Kubernetes
 * apimachinery util/rand). */
static bool is_pod(struct slice name) {
    size_t n = name.size_bytes;
    while (n > 0 && name.data[n - 1] != '-')
        n--;
    struct slice suffix = slice_skip(name, n);
    size_t digits = 0, letters = 0;
    for (size_t i = 0; i < suffix.size_bytes; i++) {
        digits += isdigit((unsigned char)suffix.data[i]) != 0;
        letters += memchr("bcdfghjklmnpqrstvwxz2456789", suffix.data[i], 27) != NULL;
    }
    return n > 1 && suffix.size_bytes > 0 &&
           (digits == suffix.size_bytes || (letters == SUFFIX_BYTES && suffix.size_bytes == letters));
}

/* "trainer-0-x7k2q main ": pod and container. */
static bool take_pod(struct slice *text) {
    struct slice pod = {text->data, name_size(*text)}, rest = slice_skip(*text, pod.size_bytes);
    if (!slice_take_char(&rest, ' ') || !is_pod(pod))
        return false;
    size_t container = name_size(rest);
    rest = slice_skip(rest, container);
    if (container == 0 || !slice_take_char(&rest, ' '))
        return false;
    *text = rest;
    return true;
}

/* ---- syslog ---- */

static struct slice take_word(struct slice *text) {
    size_t n = 0;
    while (n < text->size_bytes && text->data[n] != ' ')
        n++;
    struct slice word = {text->data, n};
    *text = slice_skip(*text, n + 1);
    return word;
}

/* "Nov  7 10:00:00 " */
static bool take_date(struct slice *text) {
    static const char *const months[] = {"Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ",
                                         "Jul ", "Aug ", "Sep ", "Oct ", "Nov ", "Dec "};
    struct slice rest = slice_skip(*text, strlen("Nov "));
    int64_t number;
    bool is_month = false;
    if (rest.size_bytes == 0 || rest.data[-1] != ' ') /* nearly all lines */
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(months); i++)
        is_month |= slice_starts(*text, months[i]);
    slice_take_char(&rest, ' ');
    if (!is_month || !slice_take_uint(&rest, &number) || !slice_take_char(&rest, ' '))
        return false;
    struct slice clock = take_word(&rest);
    if (clock.size_bytes < strlen("10:00:00") || clock.data[2] != ':' || clock.data[5] != ':')
        return false;
    *text = rest;
    return true;
}

/* "gpu-12 train[4711]: ", "gpu-12 kernel: ". has_date: before it; without one only a process's number shows that it is
 * a head. */
static bool take_tag(struct slice *text, bool has_date) {
    size_t host = name_size(*text);
    struct slice rest = slice_skip(*text, host);
    if (host == 0 || !slice_take_char(&rest, ' '))
        return false;
    struct slice tag = take_word(&rest);
    if (!slice_ends(tag, ":") || (!has_date && !slice_ends(tag, "]:")) || tag.data[0] == '[')
        return false;
    bool has_process = slice_ends(tag, "]:") && slice_contains(tag, "[");
    if (!has_process && !slice_is(tag, "kernel:") && !has_date)
        return false;
    *text = rest;
    return true;
}

/* RFC 3164: "<13>Nov 27 10:00:00 host tag[pid]: text"; rsyslog: "2026-11-27T10:00:00Z host tag[pid]: text". */
static bool take_syslog(struct slice *text, uint64_t *writer) {
    struct slice rest = *text, priority;
    int64_t at_ns;
    if (slice_take_char(&rest, '<') && !slice_take_until(&rest, '>', &priority))
        return false;
    bool has_date = take_date(&rest);
    if (!has_date && rfc3339_take(&rest, &at_ns, NULL))
        slice_take_char(&rest, ' ');
    struct slice before = rest;
    if (!take_tag(&rest, has_date))
        return false;
    *writer = slice_hash_add(*writer, slice_range(before.data, rest.data));
    *text = rest;
    return true;
}

/* RFC 5424: "<165>1 2026-11-27T10:00:00Z host app pid message-id [data] text". */
static bool take_syslog_5424(struct slice *text, uint64_t *writer) {
    struct slice rest = *text, priority;
    int64_t at_ns;
    if (!slice_take_char(&rest, '<') || !slice_take_until(&rest, '>', &priority) || !slice_take_prefix(&rest, "1 ") ||
        !rfc3339_take(&rest, &at_ns, NULL) || !slice_take_char(&rest, ' '))
        return false;
    const char *host = rest.data;
    take_word(&rest), take_word(&rest), take_word(&rest);
    *writer = slice_hash_add(*writer, slice_range(host, rest.data));
    take_word(&rest); /* the message's identifier */
    if (slice_starts(rest, "[")) {
        const char *end = slice_find(rest, "] ");
        rest = end != NULL ? slice_skip(rest, (size_t)(end + strlen("] ") - rest.data)) : rest;
    } else {
        slice_take_prefix(&rest, "- ");
    }
    *text = rest;
    return true;
}

/* ---- Airflow ---- */

/* "[2026-11-27, 10:00:00 UTC] {pod_manager.py:431} INFO - [base] ": the level stays if it is that of a warning. */
static bool take_airflow(struct slice *text) {
    struct slice rest = *text, part;
    int64_t number;
    if (!slice_take_char(&rest, '[') || !slice_take_uint(&rest, &number) || !slice_take_char(&rest, '-') ||
        !slice_take_until(&rest, ']', &part) || !slice_take_prefix(&rest, " {") ||
        !slice_take_until(&rest, '}', &part) || !slice_contains(part, ".py:") || !slice_take_char(&rest, ' '))
        return false;
    if (!slice_take_prefix(&rest, "INFO - "))
        slice_take_prefix(&rest, "ERROR - ");
    *text = rest;
    struct slice name = slice_skip(rest, 1);
    size_t size = name_size(name);
    if (slice_starts(rest, "[") && size > 0 && islower((unsigned char)name.data[0]) &&
        slice_starts(slice_skip(name, size), "] "))
        *text = slice_skip(name, size + strlen("] "));
    return true;
}

/* A container runtime's time, with nanoseconds, behind a name (`stern -t`) or in a task's log. */
static void take_time(struct slice *text) {
    struct slice rest = *text;
    int64_t at_ns;
    bool is_time = rfc3339_take(&rest, &at_ns, NULL) && slice_take_char(&rest, ' ');
    if (is_time && (size_t)(rest.data - text->data) > strlen("2026-11-27T10:00:00.123456Z "))
        *text = rest;
}

uint64_t prefixes_take(struct slice *text, int64_t *rank) {
    uint64_t writer = SLICE_HASH_START;
    bool is_task = take_airflow(text);
    if (!is_task && !take_syslog_5424(text, &writer))
        take_syslog(text, &writer);
    const char *start = text->data;
    for (int i = 0; i < MAX_PREFIXES; i++)
        if (!take_bracket(text, rank) && !take_actor(text) && !take_host(text, rank) && !take_source(text) &&
            !take_pod(text))
            break;
    if (text->data != start)
        writer = slice_hash_add(writer, slice_range(start, text->data));
    if (is_task || writer != SLICE_HASH_START)
        take_time(text);
    return writer != SLICE_HASH_START ? writer : 0;
}
