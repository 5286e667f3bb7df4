/* The times that lines carry themselves, for logs without a transport's stamps: a date and a time of day, as in
 * "2026-11-21 02:28:06.282898" (also with "T", with slashes, or with a comma before the fraction) near the front:
 * Megatron's and DeepSpeed's brackets, torchtitan's and NeMo's prefixes. "11/21/2026" is that of Hugging Face's
 * examples. A date without a year is read only where the line begins: absl's "I1121 02:17:41.048881" (MaxText, glog,
 * PyTorch), "11/21 02:17:41" (mmengine, detectron2, Paddle). They are local times without a zone and are taken as UTC:
 * what matters is what lies between them. Hugging Face, Keras and Lightning print no time at all, and neither do NeMo's
 * step lines. Of an object in JSON it is the first member with the name of a time that holds one: W&B's rows, MLflow's
 * metrics, and what loggers write (zap, structlog, python-json-logger, Filebeat). */
#include "steplog/lineclock.h"
#include "base/escape.h"
#include "base/jscan.h"
#include "base/rfc3339.h"
#include "ledger/record.h"

#define LOOK_AT_BYTES 96
#define DAY_MS INT64_C(86400000)
#define FIRST_MS INT64_C(946684800000) /* 2000 to 2100: other numbers are no Unix times */
#define AFTER_MS INT64_C(4102444800000)

static bool take_number(const char **at, const char *end, int digits, int *value) {
    const char *p = *at;
    int sum = 0;
    for (int i = 0; i < digits; i++, p++) {
        if (p >= end || *p < '0' || *p > '9')
            return false;
        sum = sum * 10 + (*p - '0');
    }
    *at = p;
    *value = sum;
    return true;
}

static bool take_char(const char **at, const char *end, char a, char b) {
    if (*at >= end || (**at != a && **at != b))
        return false;
    ++*at;
    return true;
}

/* "02:17:41.048881", perhaps without a fraction. */
static bool take_time_of_day(const char **at, const char *end, int64_t *ms) {
    int h, m, s, fraction = 0;
    if (!take_number(at, end, 2, &h) || !take_char(at, end, ':', ':') || !take_number(at, end, 2, &m) ||
        !take_char(at, end, ':', ':') || !take_number(at, end, 2, &s) || h > 23 || m > 59 || s > 60)
        return false;
    const char *p = *at;
    if (take_char(&p, end, '.', ',') && take_number(&p, end, 3, &fraction))
        *at = p;
    *ms = ((h * 60 + m) * 60 + s) * INT64_C(1000) + fraction;
    return true;
}

static bool is_date(int month, int day) {
    return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/* The latest year in which it is not after now (by a day: clocks differ, and zones). */
static bool in_latest_year(int month, int day, int64_t in_day, int64_t now_ms, int64_t *ms) {
    if (now_ms == TIME_UNKNOWN)
        return false;
    int64_t year = 1970 + now_ms / (DAY_MS * 1461 / 4) + 1;
    do
        *ms = rfc3339_unix_days(year--, month, day) * DAY_MS + in_day;
    while (*ms > now_ms + DAY_MS && year > 1970);
    return true;
}

/* "1121 02:17:41.048881" */
static bool absl_ms(const char *p, const char *end, int64_t now_ms, int64_t *ms) {
    int month, day;
    int64_t in_day;
    return take_number(&p, end, 2, &month) && take_number(&p, end, 2, &day) && is_date(month, day) &&
           take_char(&p, end, ' ', ' ') && take_time_of_day(&p, end, &in_day) &&
           in_latest_year(month, day, in_day, now_ms, ms);
}

/* "11/21 02:17:41", "11-21 02:17:41" */
static bool yearless_ms(const char *p, const char *end, int64_t now_ms, int64_t *ms) {
    int month, day;
    int64_t in_day;
    return take_number(&p, end, 2, &month) && take_char(&p, end, '/', '-') && take_number(&p, end, 2, &day) &&
           is_date(month, day) && take_char(&p, end, ' ', ' ') && take_time_of_day(&p, end, &in_day) &&
           in_latest_year(month, day, in_day, now_ms, ms);
}

/* "2026-11-21", "2026/11/21", "11/21/2026". */
static bool take_date(const char **at, const char *end, int *year, int *month, int *day) {
    const char *p = *at;
    if (take_number(&p, end, 4, year)) {
        if (!take_char(&p, end, '-', '/') || !take_number(&p, end, 2, month) || !take_char(&p, end, p[-3], p[-3]) ||
            !take_number(&p, end, 2, day))
            return false;
    } else if (!take_number(&p, end, 2, month) || !take_char(&p, end, '/', '/') || !take_number(&p, end, 2, day) ||
               !take_char(&p, end, '/', '/') || !take_number(&p, end, 4, year)) {
        return false;
    }
    *at = p;
    return true;
}

static bool dated_ms(const char *p, const char *end, int64_t *ms) {
    int year, month, day;
    int64_t in_day;
    if (!take_date(&p, end, &year, &month, &day) || !is_date(month, day) || year < 1970 ||
        !take_char(&p, end, ' ', 'T') || !take_time_of_day(&p, end, &in_day))
        return false;
    *ms = rfc3339_unix_days(year, month, day) * DAY_MS + in_day;
    return true;
}

/* Unix seconds or milliseconds. */
static bool unix_ms(struct slice number, int64_t *ms) {
    int64_t thousandths;
    if (!slice_take_scaled(&number, 3, &thousandths) || number.size_bytes > 0)
        return false;
    *ms = thousandths >= AFTER_MS ? thousandths / 1000 : thousandths;
    return *ms >= FIRST_MS && *ms < AFTER_MS;
}

static bool text_ms(struct slice text, int64_t *ms, bool *has_zone) {
    struct slice rest = text;
    int64_t ns;
    *has_zone = rfc3339_take(&rest, &ns, NULL) && rest.size_bytes == 0;
    if (!*has_zone)
        return text.size_bytes > 0 && dated_ms(text.data, text.data + text.size_bytes, ms);
    *ms = ns / 1000000 - (ns % 1000000 < 0);
    return true;
}

static bool json_ms(struct slice line, int64_t *ms, bool *has_zone) {
    static const char *const names[] = {"_timestamp", "timestamp", "@timestamp", "time", "ts", "asctime"};
    struct jscan j;
    struct slice name, raw;
    jscan_init(&j, line);
    if (!jscan_object(&j))
        return false;
    while (jscan_key(&j, &name)) {
        size_t i = 0;
        while (i < sizeof names / sizeof names[0] && !slice_is(name, names[i]))
            i++;
        enum jscan_type type = i < sizeof names / sizeof names[0] ? jscan_peek(&j) : JSCAN_NONE;
        *has_zone = true;
        if (type == JSCAN_STRING   ? jscan_string_raw(&j, &raw) && text_ms(raw, ms, has_zone)
            : type == JSCAN_NUMBER ? jscan_number_raw(&j, &raw) && unix_ms(raw, ms)
                                   : (jscan_skip(&j), false))
            return true;
    }
    return false;
}

int64_t lineclock_ms(struct slice line, int64_t now_ms, bool *has_zone) {
    const char *end = line.data + (line.size_bytes < LOOK_AT_BYTES ? line.size_bytes : LOOK_AT_BYTES);
    int64_t ms;
    if (line.size_bytes > 0 && line.data[0] == '{')
        return json_ms(line, &ms, has_zone) ? ms : TIME_UNKNOWN;
    *has_zone = false;
    if (line.size_bytes == 0)
        return TIME_UNKNOWN;
    if (slice_find_char(SLICE("IWEF["), line.data[0]) != NULL && absl_ms(line.data + 1, end, now_ms, &ms))
        return ms;
    const char *front = line.data;
    while (front < end && (*front == ' ' || *front == '[' || *front == '\x1b'))
        front = *front == '\x1b' ? escape_end(front, end) : front + 1;
    if (yearless_ms(front, end, now_ms, &ms))
        return ms;
    for (const char *p = front; p < end; p++) {
        bool begins = *p >= '0' && *p <= '9' && (p == front || p[-1] == '[' || p[-1] == ' ' || p[-1] == ':');
        if (begins && dated_ms(p, end, &ms))
            return ms;
    }
    return TIME_UNKNOWN;
}
