/* escape: escape sequences of terminals in text. */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

/* The byte after the sequence at `escape`, "ESC [ parameters letter" (ECMA-48: CSI) or two bytes; at most `end`. */
const char *escape_end(const char *escape, const char *end);

#endif
