/* rig: a source under test: a separate folder, a loop, and what the source reported. */
#ifndef TESTS_SOURCES_RIG_H
#define TESTS_SOURCES_RIG_H

#include "base/buf.h"
#include "folder.h"
#include "sources/source.h"

struct rig {
    char root[FOLDER_PATH];
    struct loop *loop;
    struct loop_timer *timer;
    struct source_handler handler; /* to be given to the source */
    struct buf lines;              /* "line\n" each */
    int64_t stamps_ms[4096];
    int count, refusals;                                                     /* this many lines are refused first */
    char cursor[SOURCE_CURSOR_BYTES + 1], trouble[1024], last_trouble[1024]; /* the last that was one */
    int64_t read_ms; /* through which it was read, last reported */
    int reads;
    bool is_over; /* nobody writes any more */
    /* private */
    int64_t deadline_us;
    bool (*is_done)(struct rig *rig, const void *what);
    const void *what;
    bool was_done;
};

struct rig *rig_new(void);
void rig_free(struct rig *rig); /* after the source */
/* Runs the loop until it is so; false after a minute. */
bool rig_until(struct rig *rig, bool (*is_done)(struct rig *rig, const void *what), const void *what);
bool rig_has_lines(struct rig *rig, const void *text); /* all lines so far are the text */
bool rig_has_trouble(struct rig *rig, const void *part);
/* From now on, all is read once more, and nothing is in trouble. */
bool rig_read_again(struct rig *rig);
void rig_write(struct rig *rig, const char *path, const char *text); /* below root; folders are made */
void rig_append(struct rig *rig, const char *path, const char *text);
void rig_rename(struct rig *rig, const char *from, const char *to);

#endif
