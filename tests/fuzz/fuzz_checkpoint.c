/* status.checkpoint of a predecessor: what is unpacked may be anything that somebody could write into a status. The
 * first byte is its version, the rest what is packed. Whatever it is, the statuses that follow hold. */
#include "base/base64.h"
#include "base/mem.h"
#include "operator/model/checkpoint.h"
#include "operator/model/evaluate.h"
#include "operator/model/model.h"
#include "reach.h"
#include "status_check.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_status(const struct buf *status) {
    char why[STATUS_WHY];
    bool is_right = status_check_text(status->data, status->size_bytes, why);
    if (!is_right)
        fprintf(stderr, "%s\n%s\n", why, buf_text(status));
    assert(is_right);
    if (strstr(buf_text(status), "\"wallMilliseconds\"") != NULL)
        REACHED("the times of a predecessor");
    if (strstr(buf_text(status), "\"retained\"") != NULL)
        REACHED("the steps of a predecessor");
    if (strstr(buf_text(status), "\"cause\"") != NULL)
        REACHED("an interruption of a predecessor");
}

/* As a controller of that version packed it. */
static char *pack(const uint8_t *data, size_t size) {
    CLEANUP_FREE char *today = checkpoint_pack((struct slice){(const char *)data + 1, size - 1});
    size_t packed_bytes;
    CLEANUP_FREE char *packed = today != NULL ? base64_decode(slice_of(today), &packed_bytes) : NULL;
    if (packed == NULL)
        return NULL;
    packed[0] = (char)data[0];
    return base64_encode((struct slice){packed, packed_bytes});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    CLEANUP_FREE char *packed = size > 0 ? pack(data, size) : NULL;
    if (packed == NULL)
        return 0;
    struct model_options options = {.keeps_checkpoints = true};
    struct model *m = model_new(&options);
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"train\",\"name\":\"train-a\",\"uid\":\"u\",\"resourceVersion\":\"1\","
        "\"generation\":2,\"creationTimestamp\":\"2026-11-21T18:00:00Z\"},\"spec\":{\"targetRef\":{\"apiGroup\":"
        "\"jobset.x-k8s.io"
        "\",\"kind\":\"JobSet\",\"name\":\"train-a\"},\"stepLog\":{\"source\":\"PodLog\"}},"
        "\"status\":{\"checkpoint\":\"%s\"}}",
        packed);
    int64_t now_ms = 1795228490000; /* after the seeds: test-operator the_kept_checkpoint writes them */
    model_observe(m, RESOURCE_JOBGOODPUT, OBSERVED_PRESENT, SLICE("train"), SLICE("train-a"), SLICE("u"),
                  slice_of(json), now_ms);
    for (int r = 0; r < RESOURCE_COUNT; r++)
        model_watermark(m, (enum resource)r, now_ms, false);
    struct model_job *job = model_job_find(m, "train", "train-a");
    struct buf out;
    buf_init(&out, 1 << 20);
    for (int i = 0; job != NULL && i < 2; i++) {
        buf_clear(&out);
        model_job_status(job, now_ms + i * 1000, &out, NULL);
        model_job_add_checkpoint(job, now_ms + i * 1000, &out);
        check_status(&out);
    }
    buf_done(&out);
    model_free(m);
    return 0;
}
