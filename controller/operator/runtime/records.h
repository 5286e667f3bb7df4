/* records: JobGoodputs that come and go by themselves: one is made for each job that gets one (record_wish.h), and one
 * whose target ended is deleted when its spec.ttlSecondsAfterFinished is over. It has its job's name, or NAME.KIND
 * where that name is taken. Of those made so, only the newest finished ones may be kept in a namespace. Only a leader
 * does so. What people made is never changed. */
#ifndef OPERATOR_RUNTIME_RECORDS_H
#define OPERATOR_RUNTIME_RECORDS_H

#include "kube/client.h"
#include "operator/runtime/record_wish.h"

#define RECORDS_MANAGER "goodput-controller"

/* What a record is made with; texts are borrowed forever. */
struct records_defaults {
    const char *log_format; /* where the job's annotation names none */
    const char *windows;    /* spec.windowSeconds: "3600,86400" */
    int64_t ttl_s;
    const char *namespaces; /* where records are made: "a,b"; "": everywhere */
    const char *labels;     /* which a job has that gets one: "a=b,c=d"; "": any */
    int64_t keep;           /* of those made so, finished ones in a namespace: the newest; 0: all, until their time */
};

/* What a JobGoodput says of itself. */
struct records_seen {
    int64_t ttl_s, end_ms;
    char managed_by[64]; /* by label: RECORDS_MANAGER if it was made here */
    char phase[32], kind[32], target[256];
    char uid[64], version[64];
};
bool runtime_records_read_jobgoodput(struct slice object, struct records_seen *seen); /* false: not an object */
/* When it is to be deleted, in ms since the epoch; TIME_UNKNOWN: not now. */
int64_t runtime_records_due_ms(const struct records_seen *seen);

struct runtime_records;

struct runtime_records *runtime_records_new(struct kube_client *client, enum records_mode mode,
                                            const struct records_defaults *defaults);
void runtime_records_free(struct runtime_records *records);

/* As the server sent it; an empty object: it was deleted. Of other resources nothing is kept. */
void runtime_records_job(struct runtime_records *records, enum resource resource, const char *namespace_,
                         const char *name, struct slice object);
void runtime_records_jobgoodput(struct runtime_records *records, const char *namespace_, const char *name,
                                struct slice object);
/* Everything has been listed, and this replica leads: begin. */
void runtime_records_set_active(struct runtime_records *records, bool is_active);

#endif
