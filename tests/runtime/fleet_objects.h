/* fleet_objects: JobGoodputs of jobs that ended and FleetGoodputs, at the embedded API server. */
#ifndef TESTS_RUNTIME_FLEET_OBJECTS_H
#define TESTS_RUNTIME_FLEET_OBJECTS_H

#include "apiserver/apiserver.h"

#include <stdbool.h>
#include <stdint.h>

#define HOUR_MS INT64_C(3600000)

#define TENANT_CLASSES                                                                                                 \
    "\"byClass\":[{\"class\":\"UserException\",\"chipSeconds\":7200},{\"class\":\"None\",\"chipSeconds\":3600}]"

#define FLEET_OBJECT(name, spec)                                                                                       \
    "apply <<END\n{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"FleetGoodput\",\"metadata\":{\"name\":\"" name   \
    "\"},\"spec\":{" spec "}}\nEND\n"

struct apiserver *fleet_serve(void); /* with both CRDs */
/* One that is over: two hours of wall time, half of them available, half of these productive. Not 0: it failed. */
int fleet_add_job(struct apiserver *s, const char *name, const char *queue, int chips, bool has_steps);
bool fleet_has(struct apiserver *s, const char *name, const char *text); /* a FleetGoodput, in its JSON */
void fleet_check_has(struct apiserver *s, const char *name, const char *const *texts);

#endif
