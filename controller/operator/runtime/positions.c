#include "operator/runtime/positions.h"

static const char *const names[RESOURCE_COUNT] = {[RESOURCE_JOBSET] = "jobsets",
                                                  [RESOURCE_JOB] = "jobs",
                                                  [RESOURCE_POD] = "pods",
                                                  [RESOURCE_NODE] = "nodes",
                                                  [RESOURCE_WORKLOAD] = "workloads",
                                                  [RESOURCE_RAYJOB] = "rayjobs",
                                                  [RESOURCE_RAYCLUSTER] = "rayclusters",
                                                  [RESOURCE_LEADERWORKERSET] = "leaderworkersets",
                                                  [RESOURCE_PYTORCHJOB] = "pytorchjobs"};

bool positions_has(enum resource resource) {
    return names[resource] != NULL;
}

int64_t positions_version(struct slice resource_version) {
    int64_t version = 0;
    return slice_take_uint(&resource_version, &version) && resource_version.size_bytes == 0 ? version : 0;
}

void positions_append(const struct positions *positions, struct buf *status) {
    static const char end[] = "\"}";
    char separator = MODEL_CHECKPOINT_END;
    if (!slice_ends(buf_slice(status), end))
        return;
    status->size_bytes -= sizeof end - 1;
    for (int r = 0; r < RESOURCE_COUNT; r++) {
        if (names[r] == NULL || positions->version[r] == 0)
            continue;
        buf_format(status, "%c%s=%lld", separator, names[r], (long long)positions->version[r]);
        separator = ',';
    }
    buf_append_text(status, end);
}

static void read_one(struct slice entry, struct positions *positions) {
    struct slice name;
    if (!slice_take_until(&entry, '=', &name))
        return;
    for (int r = 0; r < RESOURCE_COUNT; r++)
        if (names[r] != NULL && slice_is(name, names[r]))
            positions->version[r] = positions_version(entry);
}

bool positions_read(struct slice checkpoint, struct positions *positions) {
    struct slice entry, text;
    *positions = (struct positions){0};
    if (!slice_take_until(&checkpoint, MODEL_CHECKPOINT_END, &text))
        return false;
    while (slice_take_until(&checkpoint, ',', &entry))
        read_one(entry, positions);
    read_one(checkpoint, positions);
    return true;
}
