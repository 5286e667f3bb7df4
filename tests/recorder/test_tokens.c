/* Tokens of jobs: whose they are, what is none, and one that takes another's place. */
#include "base/mem.h"
#include "folder.h"
#include "harness.h"
#include "recorder/tokens.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONG "0123456789abcdef0123456789abcdef"
#define LATER_US INT64_C(10000000)

static char root[FOLDER_PATH];

static struct tokens *open_tokens(void) {
    folder_make(root);
    return tokens_new(root);
}

static void close_tokens(struct tokens *t) {
    tokens_free(t);
    folder_remove(root);
}

/* "namespace/job", or "". */
static const char *whose(struct tokens *t, const char *token, int64_t now_us) {
    static char found[512];
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size;
    char namespace_[64], job[256];
    CHECK(EVP_Digest(token, strlen(token), digest, &size, EVP_sha256(), NULL) == 1 && size == TOKENS_DIGEST_BYTES);
    found[0] = '\0';
    if (tokens_find(t, digest, now_us, namespace_, job))
        snprintf(found, sizeof found, "%s/%s", namespace_, job);
    return found;
}

TEST(a_token_is_of_the_job_that_its_file_names) {
    struct tokens *t = open_tokens();
    folder_write(root, "research.llama3-70b", LONG "-a\n");
    folder_write(root, "ml.run_1.v2", "  " LONG "-b  \r\n\n" LONG "-c");
    folder_write(root, "..data", LONG "-hidden");
    CHECK_TEXT(whose(t, LONG "-a", 0), "research/llama3-70b");
    CHECK_TEXT(whose(t, LONG "-b", 0), "ml/run_1.v2");
    CHECK_TEXT(whose(t, LONG "-c", 0), "ml/run_1.v2");
    CHECK_TEXT(whose(t, LONG "-d", 0), "");
    CHECK_TEXT(whose(t, LONG "-hidden", 0), "");
    CHECK_TEXT(whose(t, LONG "-", 0), "");
    CHECK_TEXT(whose(t, "", 0), "");
    CHECK_TEXT(whose(NULL, LONG "-a", 0), "");
    close_tokens(t);
}

TEST(a_token_that_can_be_guessed_or_has_no_job_is_refused) {
    struct tokens *t = open_tokens();
    folder_write(root, "research.short", "0123456789abcdef0123456789abcde\n");
    folder_write(root, "no-dot", LONG "-a\n");
    folder_write(root, "Capital.job", LONG "-b\n");
    folder_write(root, "research.", LONG "-c\n");
    CLEANUP_FREE char *folder = mem_format("%s/research.folder", root);
    CHECK_INT(mkdir(folder, 0700), 0);
    folder_write(root, "research.good", LONG "-d\n");
    CHECK_TEXT(whose(t, "0123456789abcdef0123456789abcde", 0), "");
    CHECK_TEXT(whose(t, LONG "-a", 0), "");
    CHECK_TEXT(whose(t, LONG "-b", 0), "");
    CHECK_TEXT(whose(t, LONG "-c", 0), "");
    CHECK_TEXT(whose(t, LONG "-d", 0), "research/good"); /* the others take nothing from it */
    close_tokens(t);
}

/* The new one is written next to the old one, then the old one goes: the folder is read again after ten seconds. */
TEST(a_token_is_replaced_while_it_is_used) {
    struct tokens *t = open_tokens();
    folder_write(root, "ns.j", LONG "-old\n");
    CHECK_TEXT(whose(t, LONG "-old", 0), "ns/j");
    folder_write(root, "ns.j", LONG "-old\n" LONG "-new\n");
    CHECK_TEXT(whose(t, LONG "-new", LATER_US - 1), "");
    CHECK_TEXT(whose(t, LONG "-new", LATER_US), "ns/j");
    CHECK_TEXT(whose(t, LONG "-old", LATER_US), "ns/j");
    folder_write(root, "ns.j", LONG "-new\n");
    CHECK_TEXT(whose(t, LONG "-old", 2 * LATER_US), "");
    CHECK_TEXT(whose(t, LONG "-new", 2 * LATER_US), "ns/j");
    /* The folder is away while the kubelet replaces it: who was known stays. */
    CLEANUP_FREE char *away = mem_format("%s-away", root);
    CHECK_INT(rename(root, away), 0);
    CHECK_TEXT(whose(t, LONG "-new", 3 * LATER_US), "ns/j");
    CHECK_INT(rename(away, root), 0);
    folder_write(root, "ns.j", "");
    CHECK_TEXT(whose(t, LONG "-new", 4 * LATER_US), "");
    close_tokens(t);
}

TEST(names_of_token_files) {
    char namespace_[64], job[256];
    CHECK(tokens_read_name(SLICE("a-1.b"), namespace_, job));
    CHECK_TEXT(namespace_, "a-1");
    CHECK_TEXT(job, "b");
    static const char *const bad[] = {"", ".", "a", "a.", ".b", "-a.b", "A.b", "a/b.c", "a_b.c"};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        CHECK(!tokens_read_name(slice_of(bad[i]), namespace_, job));
}
