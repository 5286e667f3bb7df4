#include "base/base64.h"
#include "base/mem.h"
#include "gcp/credentials.h"
#include "google.h"
#include "harness.h"
#include "rig.h"
#include "sources/cloud_logging.h"
#include "sources/entries.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

#define T0_MS INT64_C(1700000000000)

struct follow {
    struct rig *rig;
    struct google *google;
    struct http_client *http;
    struct gcp_tokens *tokens;
    struct cloud_logging *service;
    struct source *source;
};

static void open_source(struct follow *f, const char *cursor) {
    CLEANUP_ERROR struct error *err = NULL;
    const struct source_cloud_logging_options options = {.project = "p",
                                                         .logger = "goodput_j",
                                                         .job_name = "j",
                                                         .cursor = slice_of(cursor),
                                                         .since_ms = T0_MS,
                                                         .poll_us = 5000,
                                                         .settle_us = 1,
                                                         .spacing_us = 1,
                                                         .page_entries = 3};
    f->source = source_cloud_logging_new(f->service, &options, &f->rig->handler, &err);
    CHECK(f->source != NULL);
}

static struct follow follow(const char *credentials) {
    struct follow f = {.rig = rig_new()};
    f.google = google_new(f.rig->loop);
    f.http = http_client_new(f.rig->loop);
    setenv("GCE_METADATA_HOST", google_host(f.google), 1);
    setenv("CLOUDSDK_CONFIG", "/nonexistent", 1);
    unsetenv("GOOGLE_APPLICATION_CREDENTIALS");
    CLEANUP_FREE char *file = credentials ? mem_format("%s/%s", f.rig->root, credentials) : NULL;
    f.tokens = gcp_tokens_new(f.rig->loop, f.http, file);
    f.service = cloud_logging_new(f.rig->loop, f.http, f.tokens, google_url(f.google));
    return f;
}

static void end(struct follow *f) {
    source_free(f->source);
    cloud_logging_free(f->service);
    gcp_tokens_free(f->tokens);
    http_client_free(f->http);
    google_free(f->google);
    rig_free(f->rig);
}

static void add(struct follow *f, int i, const char *insert_id) {
    CLEANUP_FREE char *payload =
        mem_format("{\"job_name\":\"j\",\"step_count\":%d,\"step_start_time\":%d.5}", i, 1700000000 + i);
    google_add(f->google, T0_MS + i * 1000 + 600, insert_id, "j", payload);
}

/* The steps of the lines so far, in order: "0 1 2 ". */
static bool has_steps(struct rig *rig, const void *steps) {
    CLEANUP_BUF struct buf found;
    struct slice rest = buf_slice(&rig->lines), line;
    buf_init(&found, 1 << 16);
    while (slice_take_until(&rest, '\n', &line)) {
        const char *at = slice_find(line, "\"step_count\":");
        if (at != NULL)
            buf_format(&found, "%ld ", strtol(at + strlen("\"step_count\":"), NULL, 10));
    }
    return strcmp(buf_text(&found), steps) == 0;
}

TEST(a_logger_is_followed_page_by_page_each_entry_once) {
    struct follow f = follow(NULL);
    for (int i = 0; i < 8; i++)
        add(&f, i, i % 2 ? "a" : "b");
    google_add(f.google, T0_MS + 1, "x", "another", "{\"job_name\":\"another\",\"step_count\":99}");
    google_add(f.google, T0_MS - 1, "y", "j", "{\"job_name\":\"j\",\"step_count\":98}");
    open_source(&f, NULL);
    CHECK(rig_until(f.rig, has_steps, "0 1 2 3 4 5 6 7 "));
    CHECK_INT(f.rig->stamps_ms[7], T0_MS + 7600);
    CHECK(google_saw_flavor(f.google));
    CHECK(rig_read_again(f.rig));
    add(&f, 8, "a");
    CHECK(rig_until(f.rig, has_steps, "0 1 2 3 4 5 6 7 8 "));
    source_free(f.source); /* another controller continues */
    open_source(&f, f.rig->cursor);
    CHECK(rig_read_again(f.rig));
    add(&f, 9, "a");
    add(&f, 10, "a");
    google_add(f.google, T0_MS + 10600, "aa", "j", "{\"job_name\":\"j\",\"step_count\":11}"); /* of the same instant */
    CHECK(rig_until(f.rig, has_steps, "0 1 2 3 4 5 6 7 8 9 10 11 "));
    CHECK_INT(google_tokens(f.google), 1);
    end(&f);
}

TEST(an_entry_that_comes_late_is_not_lost) {
    struct follow f = follow(NULL);
    for (int i = 0; i < 50; i++)
        if (i != 20)
            add(&f, i, "a");
    open_source(&f, NULL);
    CHECK(rig_read_again(f.rig));
    CHECK_INT(f.rig->count, 49);
    add(&f, 20, "a");
    while (f.rig->count < 50 && rig_read_again(f.rig))
        ;
    CHECK_INT(f.rig->count, 50);
    CHECK_INT(f.rig->stamps_ms[49], T0_MS + 20600);
    CHECK(rig_read_again(f.rig));
    CHECK_INT(f.rig->count, 50);
    end(&f);
}

TEST(a_line_that_is_refused_is_offered_again) {
    struct follow f = follow(NULL);
    for (int i = 0; i < 5; i++)
        add(&f, i, "a");
    f.rig->refusals = 2;
    open_source(&f, NULL);
    CHECK(rig_until(f.rig, has_steps, "0 1 2 3 4 "));
    CHECK_INT(f.rig->refusals, 0);
    end(&f);
}

static void check_fault(struct google_faults faults, const char *trouble) {
    struct follow f = follow(NULL);
    for (int i = 0; i < 5; i++)
        add(&f, i, "a");
    google_fault(f.google, faults);
    open_source(&f, NULL);
    if (trouble != NULL && !rig_until(f.rig, rig_has_trouble, trouble))
        harness_fail(__FILE__, __LINE__, "the trouble is \"%s\", not \"%s\"", f.rig->trouble, trouble);
    CHECK(rig_until(f.rig, has_steps, "0 1 2 3 4 "));
    CHECK(rig_read_again(f.rig));
    CHECK(has_steps(f.rig, "0 1 2 3 4 "));
    CHECK_TEXT(f.rig->trouble, "");
    end(&f);
}

TEST(faults_are_reported_and_lose_nothing) {
    check_fault((struct google_faults){.count = 1, .status = 401}, NULL);
    check_fault((struct google_faults){.count = 3, .status = 401}, "does not accept the controller's token p");
    check_fault((struct google_faults){.count = 1,
                                       .status = 403,
                                       .body = "{\"error\":{\"code\":403,\"message\":\"Permission denied for all log "
                                               "views\",\"status\":\"PERMISSION_DENIED\"}}"},
                "give it roles/logging.viewer (permission logging.logEntries.list) on the project p: HTTP status 403: "
                "Permission denied");
    check_fault((struct google_faults){.count = 4, .status = 429, .headers = "Retry-After: 0\r\n"}, "quota is used up");
    check_fault((struct google_faults){.count = 1, .status = 429}, NULL);
    check_fault((struct google_faults){.count = 4, .status = 500}, "Cloud Logging fails p: HTTP status 500");
    check_fault((struct google_faults){.count = 4, .truncates = true}, "was cut off");
    check_fault((struct google_faults){.count = 4, .status = 0}, "cannot be reached");
    check_fault((struct google_faults){.drips = true}, NULL);
}

TEST(names_that_would_leave_the_filter_are_refused) {
    struct follow f = follow(NULL);
    static const struct {
        const char *project, *logger, *job;
    } bad[] = {{"p\" OR \"", "l", "j"},
               {"", "l", "j"},
               {"p/../q", "l", "j"},
               {"p", "", "j"},
               {"p", "l", "j\" OR jsonPayload.job_name=\"k"},
               {"p", "l", "j\\"},
               {"p", "l", "a\nb"}};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        CLEANUP_ERROR struct error *err = NULL;
        const struct source_cloud_logging_options options = {
            .project = bad[i].project, .logger = bad[i].logger, .job_name = bad[i].job};
        CHECK(source_cloud_logging_new(f.service, &options, &f.rig->handler, &err) == NULL);
        CHECK(strstr(error_text(err), "spec.stepLog.cloudLogging.") != NULL);
    }
    end(&f);
}

/* ---- credentials ---- */

static EVP_PKEY *make_key(char **pem) {
    EVP_PKEY *key = EVP_RSA_gen(2048);
    BIO *bio = BIO_new(BIO_s_mem());
    char *text;
    PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL);
    long size = BIO_get_mem_data(bio, &text);
    CLEANUP_BUF struct buf escaped;
    buf_init(&escaped, 8192);
    for (long i = 0; i < size; i++)
        if (text[i] == '\n')
            buf_append_text(&escaped, "\\n");
        else
            buf_append_char(&escaped, text[i]);
    *pem = buf_take(&escaped);
    BIO_free(bio);
    return key;
}

static char *decode_url(struct slice s, size_t *size) {
    CLEANUP_FREE char *text = mem_alloc(s.size_bytes + 4);
    for (size_t i = 0; i < s.size_bytes; i++)
        text[i] = s.data[i] == '-' ? '+' : s.data[i] == '_' ? '/' : s.data[i];
    for (size_t i = s.size_bytes; i % 4 != 0; i++)
        text[i] = '=';
    return base64_decode(slice_of(text), size);
}

TEST(a_service_accounts_key_signs_what_its_public_half_verifies) {
    CLEANUP_FREE char *pem = NULL;
    EVP_PKEY *key = make_key(&pem);
    struct follow f = follow("key.json");
    CLEANUP_FREE char *json = mem_format("{\"type\":\"service_account\",\"client_email\":\"a@p.iam\",\"private_key\":"
                                         "\"%s\",\"token_uri\":\"%s/token\"}",
                                         pem, google_url(f.google));
    rig_write(f.rig, "key.json", json);
    add(&f, 0, "a");
    open_source(&f, NULL);
    CHECK(rig_until(f.rig, has_steps, "0 "));
    struct slice jwt = slice_of(google_form(f.google)), head = {0}, claims = {0};
    CHECK(slice_take_prefix(&jwt, "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="));
    const char *signed_from = jwt.data;
    CHECK(slice_take_until(&jwt, '.', &head) && slice_take_until(&jwt, '.', &claims));
    size_t size = 0;
    CLEANUP_FREE char *explained = decode_url(claims, &size);
    CHECK(strstr(explained, "\"iss\":\"a@p.iam\"") && strstr(explained, "logging.read") &&
          strstr(explained, "/token\""));
    CLEANUP_FREE char *signature = decode_url(jwt, &size);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    CHECK_INT(EVP_DigestVerifyInit(ctx, NULL, EVP_sha256(), NULL, key), 1);
    CHECK_INT(EVP_DigestVerify(ctx, (unsigned char *)signature, size, (const unsigned char *)signed_from,
                               (size_t)(jwt.data - 1 - signed_from)),
              1);
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(key);
    end(&f);
}

TEST(what_gcloud_stores_is_refreshed) {
    struct follow f = follow("adc.json");
    CLEANUP_FREE char *json = mem_format("{\"type\":\"authorized_user\",\"client_id\":\"id\",\"client_secret\":\"s&c\","
                                         "\"refresh_token\":\"r\",\"token_uri\":\"%s/token\"}",
                                         google_url(f.google));
    rig_write(f.rig, "adc.json", json);
    add(&f, 0, "a");
    open_source(&f, NULL);
    CHECK(rig_until(f.rig, has_steps, "0 "));
    CHECK_TEXT(google_form(f.google), "grant_type=refresh_token&client_id=id&client_secret=s%26c&refresh_token=r");
    end(&f);
}

static void check_bad_credentials(const char *json, const char *trouble) {
    struct follow f = follow("key.json");
    if (json != NULL)
        rig_write(f.rig, "key.json", json);
    open_source(&f, NULL);
    if (!rig_until(f.rig, rig_has_trouble, trouble))
        harness_fail(__FILE__, __LINE__, "the trouble is \"%s\", not \"%s\"", f.rig->trouble, trouble);
    CHECK(strstr(f.rig->trouble, "SECRET") == NULL);
    end(&f);
}

TEST(credentials_that_cannot_be_used_say_why_and_no_secret) {
    check_bad_credentials(NULL, "key.json cannot be opened: No such file");
    check_bad_credentials("", "no credentials");
    check_bad_credentials("{", "key.json: the credentials are not JSON");
    check_bad_credentials("{\"type\":\"external_account\"}", "credentials of type external_account are not supported");
    check_bad_credentials("{\"type\":\"service_account\",\"client_email\":\"a\"}", "have no private_key");
    check_bad_credentials("{\"type\":\"service_account\",\"client_email\":\"a\",\"private_key\":\"SECRET\"}",
                          "private_key is not an RSA key");
    check_bad_credentials("{\"type\":\"authorized_user\",\"client_id\":\"a\",\"client_secret\":\"SECRET\"}",
                          "have no refresh_token");
    check_bad_credentials("{\"type\":\"service_account\",\"client_email\":\"a\",\"private_key\":\"SECRET\","
                          "\"token_uri\":\"http://example.com/\"}",
                          "token_uri is not https");
}

/* ---- the cursor ---- */

TEST(what_was_handed_on_is_remembered_in_order_and_read_back) {
    struct entries_seen seen = {.count = 0}, back;
    for (int i = 0; i < 3 * ENTRIES_REMEMBERED; i++)
        entries_note(&seen, (int64_t)(i ^ 1) * 1000000000, (uint64_t)i);
    CHECK_INT(seen.count, ENTRIES_REMEMBERED);
    for (int i = 1; i < seen.count; i++)
        CHECK(seen.items[i - 1].at_ns <= seen.items[i].at_ns);
    CHECK(entries_is_seen(&seen, seen.items[5].at_ns, seen.items[5].id));
    CHECK(!entries_is_seen(&seen, seen.items[5].at_ns, seen.items[5].id + 1));
    CHECK_INT(entries_from_ns(&seen), seen.items[seen.count - 1].at_ns - ENTRIES_OVERLAP_NS);
    CLEANUP_BUF struct buf text;
    buf_init(&text, SOURCE_CURSOR_BYTES);
    entries_seen_write(&seen, &text);
    CHECK(!text.truncated && entries_seen_parse(&back, buf_slice(&text)));
    CHECK(back.count == seen.count && memcmp(back.items, seen.items, sizeof seen.items) == 0);
    for (size_t i = 0; i < text.size_bytes; i++) /* cut anywhere: read whole entries, or refused */
        if (entries_seen_parse(&back, (struct slice){text.data, i}))
            CHECK(i == 1 || text.data[i] == ' ');
    static const char *const bad[] = {"",
                                      "2",
                                      "1 ",
                                      "1 5",
                                      "1 5:",
                                      "1 5:0000000",
                                      "1 -5:00000000",
                                      "1 5:00000000x",
                                      "1 9223372036854775807:00000000 1:00000000"};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        CHECK(!entries_seen_parse(&back, slice_of(bad[i])));
}
