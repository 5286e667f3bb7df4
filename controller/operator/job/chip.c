/* Which chips a job uses, and what they cost: as the labels of its nodes say, or the status of a predecessor. */
#include "operator/job/chip.h"
#include "base/hash.h"

/* Of the first pod with chips on a node whose labels name one. Kept: nodes go before a job's record does. */
void job_find_chip(struct model_job *job) {
    const struct target *t = job->target;
    uint64_t target = hash_local(0, slice_of(t->uid));
    if (job->accelerator.target_hash != target) {
        job->accelerator.chip = NULL;
        job->accelerator.price = PRICE_NONE;
    }
    if (job->accelerator.target_hash != target || job->accelerator.labels_version != job->store->labels_version)
        job->accelerator.pods_read = 0;
    for (size_t i = job->accelerator.pods_read;
         i < t->pods.count && (job->accelerator.chip == NULL || job->accelerator.price == PRICE_NONE); i++) {
        const struct pod *p = t->pods.items[i];
        const struct node *n = p->chips > 0 ? p->node : NULL;
        job->accelerator.pods_read +=
            i == job->accelerator.pods_read && p->containers != NULL && (n != NULL || p->chips == 0);
        job->jobs->pods_looked_at++;
        if (n != NULL && job->accelerator.chip == NULL)
            job->accelerator.chip = n->chip;
        if (n != NULL && job->accelerator.price == PRICE_NONE)
            job->accelerator.price = n->price;
    }
    job->accelerator.target_hash = target;
    job->accelerator.labels_version = job->store->labels_version;
}

void job_remember_chip(struct model_job *job, const struct object_jobgoodput *o) {
    if (o->numbers.uid.size_bytes == 0 || job->accelerator.target_hash != 0)
        return;
    job->accelerator.chip = chip_find(o->accelerator);
    job->accelerator.price = o->label_price;
    job->accelerator.target_hash = hash_local(0, o->numbers.uid);
}
