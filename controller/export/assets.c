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
ASSET(patch_js, "patch.js")
ASSET(charts_js, "charts.js")
ASSET(timeline_js, "timeline.js")
ASSET(interruptions_js, "interruptions.js")
ASSET(job_js, "job.js")
ASSET(fleets_js, "fleets.js")
ASSET(list_js, "list.js")
ASSET(page_js, "page.js")

struct slice asset_get(enum asset asset) {
    static const struct {
        const char *from, *to;
    } assets[] = {[ASSET_HTML] = {asset_html, asset_html_end},
                  [ASSET_CSS] = {asset_css, asset_css_end},
                  [ASSET_FORMAT_JS] = {asset_format_js, asset_format_js_end},
                  [ASSET_PATCH_JS] = {asset_patch_js, asset_patch_js_end},
                  [ASSET_CHARTS_JS] = {asset_charts_js, asset_charts_js_end},
                  [ASSET_TIMELINE_JS] = {asset_timeline_js, asset_timeline_js_end},
                  [ASSET_INTERRUPTIONS_JS] = {asset_interruptions_js, asset_interruptions_js_end},
                  [ASSET_JOB_JS] = {asset_job_js, asset_job_js_end},
                  [ASSET_FLEETS_JS] = {asset_fleets_js, asset_fleets_js_end},
                  [ASSET_LIST_JS] = {asset_list_js, asset_list_js_end},
                  [ASSET_PAGE_JS] = {asset_page_js, asset_page_js_end}};
    return slice_range(assets[asset].from, assets[asset].to);
}
