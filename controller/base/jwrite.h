/* jwrite: writes JSON into a buf: keys in the order given, commas and escapes done here, no floating point. The result
 * for the same calls is the same bytes. */
#ifndef BASE_JWRITE_H
#define BASE_JWRITE_H

#include "base/buf.h"

struct jwrite {
    struct buf *out;
    int depth;
    unsigned char comma[64]; /* per level: a member was written */
};

void jwrite_init(struct jwrite *w, struct buf *out);
void jwrite_object(struct jwrite *w); /* "{" */
void jwrite_object_end(struct jwrite *w);
void jwrite_array(struct jwrite *w);
void jwrite_array_end(struct jwrite *w);
void jwrite_key(struct jwrite *w, const char *key);
void jwrite_plain_key(struct jwrite *w, struct slice key); /* without a character that JSON escapes */
void jwrite_key_slice(struct jwrite *w, struct slice key);
void jwrite_text(struct jwrite *w, const char *text); /* invalid UTF-8 becomes U+FFFD */
void jwrite_slice(struct jwrite *w, struct slice text);
void jwrite_int(struct jwrite *w, int64_t value);
void jwrite_bool(struct jwrite *w, bool value);
void jwrite_null(struct jwrite *w);
void jwrite_raw(struct jwrite *w, struct slice json); /* one finished value */
/* key and value in one call. */
void jwrite_member_text(struct jwrite *w, const char *key, const char *text);
void jwrite_member_int(struct jwrite *w, const char *key, int64_t value);
/* Parts per million as people read them: "41.45%", rounded. */
void jwrite_member_percent(struct jwrite *w, const char *key, int64_t ppm);
void jwrite_member_bool(struct jwrite *w, const char *key, bool value);
/* key and the start of its value. */
void jwrite_member_object(struct jwrite *w, const char *key);
void jwrite_member_array(struct jwrite *w, const char *key);

#endif
