/* definitions: writes status.otherDefinitions. */
#ifndef OPERATOR_STATUS_DEFINITIONS_H
#define OPERATOR_STATUS_DEFINITIONS_H

#include "operator/status/view.h"

void view_write_definitions(struct jwrite *w, const struct view *v);

#endif
