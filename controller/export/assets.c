#include "export/assets.h"

/* C17 has no #embed, so the assembler reads the files. Paths start at the repository's root, where make runs. */
#define ASSET(name, file)                                                                                              \
    __asm__(".section .rodata,\"a\"\n"                                                                                 \
            ".type asset_" #name ", %object\n"                                                                         \
            "asset_" #name ":\n"                                                                                       \
            ".incbin \"controller/export/page/" file "\"\n"                                                            \
            ".type asset_" #name "_end, %object\n"                                                                     \
            "asset_" #name "_end:\n"                                                                                   \
            ".byte 0\n"                                                                                                \
            ".previous\n");                                                                                            \
    __attribute__((visibility("hidden"))) extern const char asset_##name[], asset_##name##_end[];

ASSET(html, "page.html")
ASSET(css, "page.css")
ASSET(format_js, "format.js")
ASSET(charts_js, "charts.js")
ASSET(job_js, "job.js")
ASSET(fleets_js, "fleets.js")
ASSET(page_js, "page.js")

struct slice asset_get(enum asset asset) {
    switch (asset) {
    case ASSET_HTML:
        return slice_range(asset_html, asset_html_end);
    case ASSET_CSS:
        return slice_range(asset_css, asset_css_end);
    case ASSET_FORMAT_JS:
        return slice_range(asset_format_js, asset_format_js_end);
    case ASSET_CHARTS_JS:
        return slice_range(asset_charts_js, asset_charts_js_end);
    case ASSET_JOB_JS:
        return slice_range(asset_job_js, asset_job_js_end);
    case ASSET_FLEETS_JS:
        return slice_range(asset_fleets_js, asset_fleets_js_end);
    case ASSET_PAGE_JS:
        return slice_range(asset_page_js, asset_page_js_end);
    }
    return slice_of("");
}
