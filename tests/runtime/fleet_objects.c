#include "fleet_objects.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "harness.h"

#include <string.h>

struct apiserver *fleet_serve(void) {
    return apiserver_start((const char *[]){"--crd", "crds/goodput.dev_jobgoodputs.yaml", "--crd",
                                            "crds/goodput.dev_fleetgoodputs.yaml", NULL});
}

/* Of 8 chips for an hour at 2 USD, half of it lost; a node's failure cost 1 chip-hour of that. */
#define PRICED                                                                                                         \
    "\"cost\":{\"currency\":\"USD\",\"allocated\":\"16.00\",\"productive\":\"8.00\",\"lost\":\"8.00\"},"               \
    "\"acceleratorHours\":{\"allocated\":\"8.000\",\"productive\":\"4.000\",\"lost\":\"4.000\"},"                      \
    "\"byOwner\":[{\"owner\":\"Provider\",\"interruptions\":1,\"chipSeconds\":3600,\"cost\":\"2.00\",\"byClass\":["    \
    "{\"class\":\"GPUHardware\",\"chipSeconds\":3600}]},{\"owner\":\"Tenant\",\"interruptions\":2,\"chipSeconds\":"    \
    "10800,\"cost\":\"6.00\"," TENANT_CLASSES "}],"                                                                    \
    "\"interruptions\":{\"total\":3,\"byCause\":[{\"cause\":\"NodeFailure\",\"count\":1,\"chipSeconds\":3600,"         \
    "\"cost\":\"2.00\"},{\"cause\":\"Eviction\",\"count\":2}],\"byClass\":[{\"class\":\"Unknown\",\"count\":1},"       \
    "{\"class\":\"GPUHardware\",\"count\":1}]},"

/* One that ended an hour into the job, with 12 minutes until it trained again. */
#define FAILED                                                                                                         \
    "\"executions\":[{\"number\":1,\"start\":\"%s\",\"end\":\"%s\",\"cause\":\"NodeFailure\",\"node\":\"gpu-7\","      \
    "\"nodePool\":\"a3\",\"owner\":\"Provider\",\"rescheduleMilliseconds\":720000,\"rootCause\":{\"class\":"           \
    "\"GPUHardware\",\"owner\":\"Provider\",\"basis\":\"Observed\",\"symptomOnly\":false,\"followers\":0,"             \
    "\"unread\":0}}],"

int fleet_add_job(struct apiserver *s, const char *name, const char *queue, int chips, bool has_steps) {
    char from[RFC3339_SIZE], failed[RFC3339_SIZE], to[RFC3339_SIZE];
    int64_t now_ms = wall_ms(clock_wall());
    rfc3339_format_s(from, (now_ms - 5 * HOUR_MS) / 1000 * 1000);
    rfc3339_format_s(failed, (now_ms - 4 * HOUR_MS) / 1000 * 1000);
    CLEANUP_FREE char *priced = mem_format(PRICED FAILED, from, failed);
    rfc3339_format_s(to, (now_ms - 3 * HOUR_MS) / 1000 * 1000);
    return apiserver_dof(
        s,
        "apply <<END\n{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"JobGoodput\",\"metadata\":{\"name\":\"%s\","
        "\"namespace\":\"default\",\"labels\":{\"team\":\"nlp\"}},\"spec\":{\"targetRef\":{\"apiGroup\":"
        "\"jobset.x-k8s.io\",\"kind\":\"JobSet\",\"name\":\"%s\"}},\"status\":{%s\"phase\":\"Completed\","
        "\"target\":{\"queue\":\"%s\",\"chips\":%d},\"availability\":{\"required\":2},\"time\":{\"start\":\"%s\","
        "\"end\":\"%s\","
        "\"wallMilliseconds\":7200000,\"availableMilliseconds\":3600000%s},\"badput\":[{\"family\":\"Scheduling\","
        "\"bucket\":\"QueueWait\","
        "\"milliseconds\":3600000},{\"family\":\"Runtime\",\"bucket\":\"%s\",\"milliseconds\":%d%s}],\"conditions\":[{"
        "\"type\":"
        "\"Finished\","
        "\"status\":\"True\",\"reason\":\"Succeeded\",\"message\":\"\",\"lastTransitionTime\":\"%s\"}]}}\nEND\n",
        name, name, chips == 8 ? priced : "", queue, chips, from, to,
        has_steps ? ",\"productiveMilliseconds\":1800000" : "", has_steps ? "WastedProgress" : "Unattributed",
        has_steps ? 1800000 : 3600000, chips == 8 ? ",\"chipSeconds\":14400,\"cost\":\"8.00\"" : "", to);
}

void fleet_check_has(struct apiserver *s, const char *name, const char *const *texts) {
    CLEANUP_FREE char *command = mem_format("get fleetgoodputs /%s", name);
    CLEANUP_FREE char *json = apiserver_ask(s, command);
    for (; json != NULL && *texts != NULL; texts++)
        if (strstr(json, *texts) == NULL)
            harness_fail(__FILE__, __LINE__, "%s: no %s in %s", name, *texts, json);
    CHECK(json != NULL);
}

bool fleet_has(struct apiserver *s, const char *name, const char *text) {
    CLEANUP_FREE char *command = mem_format("get fleetgoodputs /%s", name);
    CLEANUP_FREE char *json = apiserver_ask(s, command);
    return json != NULL && strstr(json, text) != NULL;
}
