#include "base/error.h"
#include "harness.h"

#include <errno.h>

TEST(an_error_is_one_line_whatever_was_quoted_in_it) {
    struct error *err = NULL;
    CHECK_INT(error_set(&err, EPROTO, "it said \"%s\"", "a\r\nb\x1b[2J\x7f \xc3\xa9"), -EPROTO);
    CHECK_TEXT(error_text(err), "it said \"a  b [2J  \xc3\xa9\"");
    CHECK_INT(error_wrap(&err, EIO, "file %s", "x\ny"), -EIO);
    CHECK_TEXT(error_text(err), "file x y: it said \"a  b [2J  \xc3\xa9\"");
    CHECK_INT(err->code, EIO);
    error_free(err);
}
