/* The spec of a FleetGoodput, whatever its bytes: it is refused in a sentence, or it is one that the window, the
 * selection and the grouping of a job can be computed by. Two inputs in one, split at the first NUL: the spec and a
 * JobGoodput. */
#include "operator/fleet/spec.h"
#include "reach.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *split = size > 0 ? memchr(data, '\0', size) : NULL;
    struct slice json = {(const char *)data, split != NULL ? (size_t)(split - data) : size};
    struct slice job = split != NULL ? slice_range((const char *)split + 1, (const char *)data + size)
                                     : SLICE("{\"metadata\":{\"name\":\"a\",\"labels\":{\"team\":\"nlp\"}}}");
    struct fleets_spec *spec = calloc(1, sizeof *spec);
    CLEANUP_ERROR struct error *err = NULL;
    CLEANUP_BUF struct buf group;
    struct member *m = member_read(job);
    buf_init(&group, 1024);
    int r = fleets_spec_read(spec, json, &err);
    assert((r < 0) == (err != NULL));
    assert(r == 0 || strlen(error_text(err)) > 10);
    if (r != 0)
        REACHED("a spec that is refused");
    if (r == 0) {
        int64_t now_ms = INT64_C(1793491200000), from_ms = roll_window_from(&spec->window, now_ms);
        assert(from_ms <= now_ms && now_ms - from_ms <= 32 * ROLL_DAY_MS);
        assert(spec->keys.count <= FLEETS_KEYS && spec->window_name[0] != '\0');
        bool is_selected = m != NULL && fleets_spec_selects(spec, m);
        if (is_selected)
            REACHED("a job that a spec selects");
        if (m != NULL)
            fleets_spec_group(spec, m, &group);
        assert(m == NULL || group.size_bytes > 0);
    }
    fleets_spec_done(spec);
    free(spec);
    member_free(m);
    return 0;
}
