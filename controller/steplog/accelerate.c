/* The checkpoints of Hugging Face Accelerate next to any script's steps (accelerate 1.15.0, commit 16cb6eb8:
 * src/accelerate/accelerator.py:3649 and 3801, checkpointing.py:179, 316 and 318; tests/data/steplog/accelerate.tsv).
 * Its scripts count steps by a bar or by custom lines. The random states are written and read last. */
#include "steplog/emit.h"
#include "steplog/text.h"

/* "out/checkpoint-500" and "out/step_500" count steps; "checkpoint_3" and "epoch_3" count saves and epochs. */
static int64_t step_of_folder(struct slice path) {
    static const char *const names[] = {"/checkpoint-", "/step_"};
    int64_t step;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct slice rest = path;
        while (text_after(rest, names[i], &rest)) {
            struct slice number = rest;
            if (take_step(&number, &step) && (number.size_bytes == 0 || number.data[0] == '/'))
                return step;
        }
    }
    return RECORD_NONE;
}

static enum line_result read_line(struct steplog *s, struct slice text) {
    struct slice path;
    struct record r = steplog_record(s, RECORD_RESTORE_END);
    if (text_after(text, "Saving current state to ", &path)) {
        r.step = step_of_folder(slice_trim(path));
        steplog_emit_save_start(s, r, STEPLOG_AUTO);
        return LINE_TAKEN;
    }
    if (text_after(text, "Random states saved in ", &path)) {
        r.step = step_of_folder(slice_trim(path));
        r.is_async = true;
        steplog_emit_save_durable(s, r, STEPLOG_AUTO);
        return LINE_TAKEN;
    }
    if (text_after(text, "Loading states from ", &path)) {
        r.kind = RECORD_RESTORE_START;
        r.step = step_of_folder(slice_trim(path));
    } else if (!slice_ends(text, "All random states loaded successfully") &&
               !slice_ends(text, "Could not load random states")) {
        return LINE_NOT_MINE;
    }
    steplog_emit(s, &r, STEPLOG_AUTO);
    return LINE_TAKEN;
}

static const char *const words[] = {"Saving current state to ",     "Random states saved in ",
                                    "Loading states from ",         "All random states loaded successfully",
                                    "Could not load random states", NULL};

extern const struct format steplog_accelerate;
const struct format steplog_accelerate = {
    .id = STEPLOG_AUTO, .is_always_read = true, .words = words, .line = read_line};
