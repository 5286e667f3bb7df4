/* forecast: writes status.forecast. */
#ifndef OPERATOR_STATUS_FORECAST_H
#define OPERATOR_STATUS_FORECAST_H

#include "operator/status/view.h"

void view_write_forecast(struct jwrite *w, const struct view *v);

#endif
