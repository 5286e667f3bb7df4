/* What those to whom numbers are pushed answer: Cloud Monitoring (0), OTLP's partial success (1) and its errors (2). */
#include "export/push/monitoring.h"
#include "export/push/otlp_wire.h"
#include "reach.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct monitoring_answer monitoring;
    struct otlp_answer otlp;
    if (size == 0)
        return 0;
    struct slice body = {(const char *)data + 1, size - 1};
    if (data[0] % 3 == 0) {
        monitoring_read_answer(body, &monitoring);
        assert(memchr(monitoring.text, '\0', sizeof monitoring.text) != NULL);
        if (monitoring.total > 0)
            REACHED("points that Cloud Monitoring counted");
        assert(monitoring.taken <= monitoring.total && (monitoring.taken >= 0) == (monitoring.total >= 0));
    } else {
        otlp_read_answer(body, data[0] % 3 == 2, &otlp);
        if (otlp.rejected > 0)
            REACHED("points that a collector rejected");
        if (otlp.text[0] != '\0')
            REACHED("words of a collector");
        assert(memchr(otlp.text, '\0', sizeof otlp.text) != NULL && otlp.rejected >= 0);
    }
    return 0;
}
