#include "rootcause/survived.h"

#include "rootcause/finding_internal.h"

enum {
    MAX_STEPS_OF_OTHERS = 2,
    MAX_STEPS_HELD_BACK = 256 /* lines of 32 bytes in a buffer of 8 KiB */
};

/* A chip that failed makes no steps, and what a thread raised did not end the process that makes them. One or two may
 * be of other ranks; a traceback may come before output that its process held back. Nothing outlasts more steps than a
 * buffer holds. */
static void drop_survived(struct rootcause_log *log) {
    log->steps_with_hardware++;
    log->steps_survived++;
    for (int i = 0; i < ROLE_COUNT; i++) {
        struct finding *f = &log->survived[i];
        bool is_chip = f->role != ROLE_COUNT && rootcause_class_is_of_hardware(f->class_) && !f->is_exception;
        bool is_of_thread = f->role == ROLE_WEAK && f->is_exception;
        if (log->steps_survived > MAX_STEPS_HELD_BACK || (is_of_thread && log->steps_survived > MAX_STEPS_OF_OTHERS) ||
            (is_chip && log->steps_with_hardware > MAX_STEPS_OF_OTHERS))
            f->role = ROLE_COUNT;
    }
}

void survived_take_step(struct rootcause_log *log) {
    if (finding_is_of_losses(&log->found[ROLE_LAST]))
        log->found[ROLE_LAST].role = ROLE_COUNT;
    for (int i = 0; i < ROLE_COUNT; i++)
        if (log->found[i].role != ROLE_COUNT) {
            if (rootcause_class_is_of_hardware(log->found[i].class_))
                log->steps_with_hardware = 0;
            log->steps_survived = 0;
            log->survived[i] = log->found[i];
            log->found[i].role = ROLE_COUNT;
        }
    drop_survived(log);
    log->waiting_count = 0;
    log->stack.is_there = false;
    log->is_finished = false;
}
