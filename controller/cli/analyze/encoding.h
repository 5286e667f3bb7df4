/* analyze_encoding: the bytes of a file as UTF-8. UTF-16 is known by its byte order mark (PowerShell's `>` writes it),
 * or by the zeros of its first two characters; another file is UTF-8, whose bytes stay as they are. */
#ifndef CLI_ANALYZE_ENCODING_H
#define CLI_ANALYZE_ENCODING_H

#include <stdbool.h>
#include <stddef.h>

struct analyze_encoding { /* all-zero before the first bytes */
    bool is_known, is_utf16, is_big_endian, has_odd;
    unsigned char odd;  /* the first byte of a unit whose second has not come */
    unsigned high_unit; /* of a surrogate pair whose second unit has not come; 0: none */
};

/* Looks at the first bytes, of which four are enough; returns the size of the byte order mark. */
size_t analyze_encoding_look(struct analyze_encoding *e, const char *bytes, size_t size, bool is_all);
/* Writes the next bytes of UTF-16 as UTF-8, at most 3 * (size / 2) + 6 bytes, and returns how many. A unit that is not
 * a character becomes U+FFFD. */
size_t analyze_encoding_decode(struct analyze_encoding *e, const char *bytes, size_t size, char *out);
/* Drops UTF-8's byte order marks at the starts of lines, as `cat` leaves them there; returns the new size. */
size_t analyze_encoding_drop_marks(char *lines, size_t size);

#endif
