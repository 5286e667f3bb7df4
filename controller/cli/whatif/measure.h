/* measure: reads the figures of a JobGoodput. */
#ifndef CLI_WHATIF_MEASURE_H
#define CLI_WHATIF_MEASURE_H

#include "cli/whatif/expect.h"

#include <jansson.h>

void whatif_measure(const json_t *job, struct whatif *w);

#endif
