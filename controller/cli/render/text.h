/* text: draws columns of text that is safe for a terminal, durations, and bars whose parts add up to the whole. Bytes
 * that could control the terminal (a log line may hold any) are shown as "?". */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include "base/buf.h"

struct text_style {
    int columns; /* 0: no limit */
    bool is_utf8, has_color;
};

enum text_color { COLOR_NONE, COLOR_SCHEDULING, COLOR_RUNTIME, COLOR_PRODUCTIVE, COLOR_BOLD, COLOR_DIM };

/* The columns of a text (code points). */
int text_width(const char *text);
/* Appends safe text, cut to width columns (0: not cut; a cut shows as "~"). pad: spaces on the left (-1,
 * right-aligned), on the right (1) or none (0). */
void text_cell(struct buf *out, const char *text, int width, int pad);
void text_color(struct buf *out, const struct text_style *style, enum text_color color); /* COLOR_NONE ends it */
/* Wraps words at the style's columns, with every line indented, the second and later ones by `hang` more; ends with a
 * newline. */
void text_wrap(struct buf *out, const struct text_style *style, int indent, int hang, const char *text);
void text_repeat(struct buf *out, const char *glyph, int count);

/* "2d 04h", "1h 02m 03s", "4m 05s", "14.2s"; exact, so that visible sums are right. unit_ms, the smallest unit: 1, 100
 * or 1000. */
#define TEXT_DURATION_SIZE 40
const char *text_duration(char out[TEXT_DURATION_SIZE], int64_t ms);
/* Of whole seconds: "14s". */
const char *text_seconds(char out[TEXT_DURATION_SIZE], int64_t s);
const char *text_duration_in(char out[TEXT_DURATION_SIZE], int64_t ms, int64_t unit_ms);
const char *text_stamp(char out[TEXT_DURATION_SIZE], int64_t unix_ms); /* "2026-11-21 02:16:52", UTC; "-" if unknown */

/* The share of a part in units of whole / scale. The shares of all parts add up to `scale` exactly: share i is
 * round(sum of the first i + 1) - round(sum of the first i). */
int64_t text_share(int64_t before, int64_t part, int64_t whole, int64_t scale);

#endif
