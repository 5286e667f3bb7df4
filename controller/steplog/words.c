#include "steplog/words.h"

#include "base/literals.h"
#include "base/mem.h"
#include "steplog/formats.h"
#include "steplog/shipped.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

enum { MAX_WORDS = 256, MAX_BYTES = 4 };
#define MIN_WORD_BYTES 5 /* as the shortest one sets the pace of the search, one byte stands for a shorter one */

static struct literals *literals;
static uint32_t rows[MAX_WORDS]; /* of each of the literals */
static struct {
    char byte;
    uint32_t rows;
} bytes[MAX_BYTES]; /* words of one byte */
static int byte_count;
static uint32_t others; /* formats without words */
static pthread_once_t is_loaded = PTHREAD_ONCE_INIT;

static void add_byte(char byte, uint32_t row) {
    int i = 0;
    while (i < byte_count && bytes[i].byte != byte)
        i++;
    assert(i < MAX_BYTES);
    byte_count += i == byte_count;
    bytes[i].byte = byte;
    bytes[i].rows |= row;
}

/* Its last byte that is not a space. */
static char byte_of(const char *word) {
    size_t size = strlen(word);
    while (size > 1 && word[size - 1] == ' ')
        size--;
    return word[size - 1];
}

static void load(void) {
    struct slice texts[MAX_WORDS];
    size_t count = 0;
    shipped_get(0); /* its words are read from files */
    for (int i = 0; steplog_formats[i] != NULL; i++) {
        const char *const *words = steplog_formats[i]->words;
        uint32_t row = UINT32_C(1) << i;
        others |= words == NULL ? row : 0;
        for (; words != NULL && *words != NULL; words++) {
            assert(count < MAX_WORDS);
            if (strlen(*words) < MIN_WORD_BYTES) {
                add_byte(byte_of(*words), row);
                continue;
            }
            rows[count] = row;
            texts[count++] = slice_of(*words);
        }
    }
    literals = literals_new(texts, count);
}

uint32_t words_rows(const struct steplog *s, struct slice text) {
    bool is_blank = text.size_bytes > 0 && (unsigned char)text.data[0] <= ' ' && slice_trim(text).size_bytes == 0;
    if (is_blank || s->formats != steplog_formats)
        return UINT32_MAX;
    pthread_once(&is_loaded, load);
    uint32_t found = others;
    for (int i = 0; i < byte_count; i++)
        if (slice_find_char(text, bytes[i].byte) != NULL)
            found |= bytes[i].rows;
    for (struct literals_hit hit = {0}; literals_next(literals, text, &hit);)
        found |= rows[hit.number];
    return found;
}
