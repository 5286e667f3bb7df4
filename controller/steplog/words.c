#include "steplog/words.h"

#include "base/digits.h"
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

/* Its longest part without digits. */
static struct slice without_digits(const char *word) {
    static const char digits[] = "0123456789";
    struct slice longest = {word, 0};
    for (const char *from = word; *from != '\0'; from += strspn(from, digits)) {
        struct slice part = {from, strcspn(from, digits)};
        longest = part.size_bytes > longest.size_bytes ? part : longest;
        from += part.size_bytes;
    }
    return longest;
}

/* Its last byte that is not a space. */
static char byte_of(struct slice word) {
    assert(word.size_bytes > 0);
    while (word.size_bytes > 1 && word.data[word.size_bytes - 1] == ' ')
        word.size_bytes--;
    return word.data[word.size_bytes - 1];
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
            struct slice word = without_digits(*words);
            if (word.size_bytes < MIN_WORD_BYTES) {
                add_byte(byte_of(word), row);
                continue;
            }
            rows[count] = row;
            texts[count++] = word;
        }
    }
    literals = literals_new(texts, count);
}

struct words words_find(const struct steplog *s, struct slice text) {
    bool is_blank = text.size_bytes > 0 && (unsigned char)text.data[0] <= ' ' && slice_trim(text).size_bytes == 0;
    if (is_blank || s->formats != steplog_formats)
        return (struct words){UINT32_MAX, UINT32_MAX};
    pthread_once(&is_loaded, load);
    struct words found = {others, 0};
    for (int i = 0; i < byte_count; i++)
        if (slice_find_char(text, bytes[i].byte) != NULL)
            found.rows |= bytes[i].rows;
    for (struct literals_hit hit = {0}; literals_next(literals, text, &hit);)
        found.long_words |= rows[hit.number];
    found.rows |= found.long_words;
    return found;
}

static void keep_last(struct steplog *s, struct slice text) {
    uint32_t size = text.size_bytes <= STEPLOG_LAST_BYTES ? (uint32_t)text.size_bytes : 0;
    if (size > 0 && size != s->last_bytes)
        s->last_text = mem_resize(s->last_text, size, 1);
    if (size > 0)
        memcpy(s->last_text, text.data, size);
    s->last_bytes = size;
}

struct words words_find_again(struct steplog *s, struct slice text) {
    bool is_alike = text.size_bytes > 0 && text.size_bytes == s->last_bytes &&
                    digits_alone_differ(text.data, s->last_text, text.size_bytes);
    if (!is_alike) {
        s->last_words = words_find(s, text);
        s->last_shape++;
        keep_last(s, text);
    }
    s->shape = s->last_shape;
    return s->last_words;
}
