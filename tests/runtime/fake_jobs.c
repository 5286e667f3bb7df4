#include "fake_jobs.h"

#include "harness.h"

const struct cadence_options fake_options = {
    .coalesce_us = S / 4, .active_us = 15 * S, .quiet_us = 60 * S, .writes_per_second = 20};

int fake_turn(struct cadence *c, int64_t now_us) {
    int writes = 0;
    for (struct cadence_job *job; (job = cadence_pick(c, now_us)) != NULL;) {
        struct fake_job *fake = (struct fake_job *)job;
        struct cadence_evaluation e = {.key = fake->key,
                                       .hash = fake->hash,
                                       .printed = fake->printed,
                                       .has_new_steps = fake->has_new_steps,
                                       .is_ending = fake->is_ending,
                                       .is_final = fake->is_final,
                                       .awaits_ms = fake->awaits_ms ? fake->awaits_ms : TIME_UNKNOWN};
        fake->evaluations++;
        if (fake->evaluations > 100000) {
            harness_fail(__FILE__, __LINE__, "evaluates forever");
            return writes;
        }
        fake->has_new_steps = false;
        if (!cadence_decide(c, job, &e, now_us))
            continue;
        fake->written_us[fake->writes++ % 4096] = now_us;
        writes++;
        cadence_wrote(c, job, now_us);
    }
    return writes;
}

int fake_run(struct cadence *c, int64_t *now_us, int64_t until_us) {
    int wakes = 0;
    for (;;) {
        int64_t wake_us = cadence_wake_us(c);
        if (wake_us > until_us)
            break;
        if (wake_us > *now_us)
            *now_us = wake_us;
        fake_turn(c, *now_us);
        if (++wakes > 1000000) {
            harness_fail(__FILE__, __LINE__, "wakes forever");
            break;
        }
    }
    *now_us = until_us;
    return wakes;
}
