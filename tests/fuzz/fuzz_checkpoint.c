/* status.checkpoint of a predecessor: what is unpacked may be anything that somebody could write into a status. */
#include "base/mem.h"
#include "operator/job/checkpoint_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    CLEANUP_FREE char *packed = checkpoint_pack((struct slice){(const char *)data, size});
    if (packed == NULL)
        return 0;
    struct model_options options = {.version = "fuzz", .keeps_checkpoints = true};
    struct model *m = model_new(&options);
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"train\",\"name\":\"train-a\",\"uid\":\"u\",\"resourceVersion\":\"1\",\"generation\":1,"
        "\"creationTimestamp\":\"2026-11-21T02:00:00Z\"},\"spec\":{\"targetRef\":{\"apiVersion\":"
        "\"jobset.x-k8s.io/v1alpha2\",\"kind\":\"JobSet\",\"name\":\"train-a\"},\"stepLog\":{\"source\":\"PodLog\"}},"
        "\"status\":{\"checkpoint\":\"%s\"}}",
        packed);
    int64_t now_ms = 1795226500000;
    model_observe(m, RESOURCE_JOBGOODPUT, OBSERVED_PRESENT, SLICE("train"), SLICE("train-a"), SLICE("u"), slice_of(json),
                  now_ms);
    for (int r = 0; r < RESOURCE_COUNT; r++)
        model_watermark(m, (enum resource)r, now_ms, false);
    struct model_job *job = model_job_find(m, "train", "train-a");
    struct buf out;
    buf_init(&out, 1 << 20);
    if (job != NULL)
        for (int i = 0; i < 2; i++) {
            buf_clear(&out);
            model_job_status(job, now_ms + i * 1000, &out, NULL);
            model_job_add_checkpoint(job, now_ms + i * 1000, &out);
        }
    buf_done(&out);
    model_free(m);
    return 0;
}
