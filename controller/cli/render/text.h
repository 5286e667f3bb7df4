/* text: what the commands draw with: columns of text that is safe for a terminal, durations, and bars whose parts add
 * up to the whole. Bytes that could steer the terminal (a log line may hold any) are shown as "?". */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include "base/buf.h"

struct text_style {
    int columns; /* 0: no limit */
    bool is_utf8, has_colour;
};

enum text_colour { COLOUR_NONE, COLOUR_SCHEDULING, COLOUR_RUNTIME, COLOUR_PRODUCTIVE, COLOUR_BOLD, COLOUR_DIM };

/* Columns that a text takes (code points). */
int text_width(const char *text);
/* Text made safe, cut to width columns (0: not cut; a cut shows as "~"), padded with spaces if `pad`: -1 on the left
 * (right-aligned), 1 on the right, 0 not. */
void text_cell(struct buf *out, const char *text, int width, int pad);
void text_colour(struct buf *out, const struct text_style *style, enum text_colour colour); /* COLOUR_NONE ends it */
/* Words wrapped into columns, every line indented, the second and later ones by `hang` more; ends with a newline. */
void text_wrap(struct buf *out, const struct text_style *style, int indent, int hang, const char *text);
void text_repeat(struct buf *out, const char *glyph, int count);

/* "2d 04h", "1h 02m 03s", "4m 05s", "14.2s"; by hand because sums must be seen to be exact. unit_ms: 1, 100 or 1000. */
#define TEXT_DURATION_SIZE 40
const char *text_duration(char out[TEXT_DURATION_SIZE], int64_t ms);
const char *text_duration_in(char out[TEXT_DURATION_SIZE], int64_t ms, int64_t unit_ms);
/* Seconds as whole-number input: "1h 12m". */
const char *text_stamp(char out[TEXT_DURATION_SIZE], int64_t unix_ms); /* "2026-11-21 02:16:52", UTC; "-" if unknown */

/* A whole divided into parts: rounds so that the rounded parts add up to `scale` exactly: part i is
 * round(sum of the first i + 1) - round(sum of the first i). */
int64_t text_share(int64_t before, int64_t part, int64_t whole, int64_t scale);

#endif
