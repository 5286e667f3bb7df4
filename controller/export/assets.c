#include "export/assets.h"

#include "base/embed.h"

EMBED(asset_html, "controller/export/page/page.html");
EMBED(asset_sign_in_html, "controller/export/page/sign_in.html");
EMBED(asset_sign_in_js, "controller/export/page/sign_in.js");
EMBED(asset_css, "controller/export/page/page.css");
EMBED(asset_format_js, "controller/export/page/format.js");
EMBED(asset_patch_js, "controller/export/page/patch.js");
EMBED(asset_charts_js, "controller/export/page/charts.js");
EMBED(asset_timeline_js, "controller/export/page/timeline.js");
EMBED(asset_interruptions_js, "controller/export/page/interruptions.js");
EMBED(asset_job_js, "controller/export/page/job.js");
EMBED(asset_comparison_js, "controller/export/page/comparison.js");
EMBED(asset_fleets_js, "controller/export/page/fleets.js");
EMBED(asset_list_js, "controller/export/page/list.js");
EMBED(asset_page_js, "controller/export/page/page.js");

struct slice asset_get(enum asset asset) {
    static const struct {
        const char *data;
        const uint64_t *size;
    } assets[] = {[ASSET_HTML] = {asset_html, &asset_html_size},
                  [ASSET_SIGN_IN_HTML] = {asset_sign_in_html, &asset_sign_in_html_size},
                  [ASSET_SIGN_IN_JS] = {asset_sign_in_js, &asset_sign_in_js_size},
                  [ASSET_CSS] = {asset_css, &asset_css_size},
                  [ASSET_FORMAT_JS] = {asset_format_js, &asset_format_js_size},
                  [ASSET_PATCH_JS] = {asset_patch_js, &asset_patch_js_size},
                  [ASSET_CHARTS_JS] = {asset_charts_js, &asset_charts_js_size},
                  [ASSET_TIMELINE_JS] = {asset_timeline_js, &asset_timeline_js_size},
                  [ASSET_INTERRUPTIONS_JS] = {asset_interruptions_js, &asset_interruptions_js_size},
                  [ASSET_JOB_JS] = {asset_job_js, &asset_job_js_size},
                  [ASSET_FLEETS_JS] = {asset_fleets_js, &asset_fleets_js_size},
                  [ASSET_COMPARISON_JS] = {asset_comparison_js, &asset_comparison_js_size},
                  [ASSET_LIST_JS] = {asset_list_js, &asset_list_js_size},
                  [ASSET_PAGE_JS] = {asset_page_js, &asset_page_js_size}};
    return (struct slice){assets[asset].data, (size_t)*assets[asset].size};
}
