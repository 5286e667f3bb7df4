/* assets: the files of controller/export/page/, which the build embeds in the program. */
#ifndef EXPORT_ASSETS_H
#define EXPORT_ASSETS_H

#include "base/slice.h"

enum asset {
    ASSET_HTML,
    ASSET_SIGN_IN_HTML,
    ASSET_SIGN_IN_JS,
    ASSET_CSS,
    ASSET_FORMAT_JS,
    ASSET_PATCH_JS,
    ASSET_CHARTS_JS,
    ASSET_TIMELINE_JS,
    ASSET_INTERRUPTIONS_JS,
    ASSET_JOB_JS,
    ASSET_FLEETS_JS,
    ASSET_COMPARISON_JS,
    ASSET_LIST_JS,
    ASSET_PAGE_JS
};
struct slice asset_get(enum asset asset);

#endif
