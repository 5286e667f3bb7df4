/* Which chips a job uses, and what they cost: as the labels of its nodes say, or the status of a predecessor. */
#include "operator/job/job.h"

/* Of the first pod with chips on a node whose labels name one. Kept: nodes go before a job's record does. */
void job_find_chip(struct model_job *job) {
    const struct target *t = job->target;
    uint64_t target = slice_hash(slice_of(t->uid));
    if (job->chip_target != target) {
        job->chip = NULL;
        job->label_price = PRICE_NONE;
    }
    if (job->chip_target != target || job->chip_version != job->model->labels_version)
        job->chip_seen = 0;
    for (size_t i = job->chip_seen; i < t->pod_count && (job->chip == NULL || job->label_price == PRICE_NONE); i++) {
        const struct pod *p = t->pods[i];
        const struct node *n = p->chips > 0 ? p->node : NULL;
        job->chip_seen += i == job->chip_seen && p->containers != NULL && (n != NULL || p->chips == 0);
        job->model->pods_looked_at++;
        if (n != NULL && job->chip == NULL)
            job->chip = n->chip;
        if (n != NULL && job->label_price == PRICE_NONE)
            job->label_price = n->price;
    }
    job->chip_target = target;
    job->chip_version = job->model->labels_version;
}

void job_remember_chip(struct model_job *job, const struct object_jobgoodput *o) {
    if (o->numbers.uid.size_bytes == 0 || job->chip_target != 0)
        return;
    job->chip = chip_find(o->accelerator);
    job->label_price = o->label_price;
    job->chip_target = slice_hash(o->numbers.uid);
}
