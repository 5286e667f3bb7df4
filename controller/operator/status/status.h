/* status: writes a view as the status object of a JobGoodput. */
#ifndef OPERATOR_STATUS_STATUS_H
#define OPERATOR_STATUS_STATUS_H

#include "operator/status/view.h"

void view_write(const struct view *v, struct buf *out);

#endif
