#include "harness.h"

#include "base/urlencode.h"

static void check(const char *text, const char *also, const char *expected) {
    CLEANUP_BUF struct buf out;
    buf_init(&out, 1024);
    urlencode(&out, text, also);
    CHECK_TEXT(buf_text(&out), expected);
}

TEST(encodes_all_but_what_rfc_3986_leaves_unreserved) {
    check("azAZ09-._~", "", "azAZ09-._~");
    check("a b+c/d=e%2F&\xe1\x88\xb4", "", "a%20b%2Bc%2Fd%3De%252F%26%E1%88%B4");
    check("/b/cluster=x", "/", "/b/cluster%3Dx");
    check("\x7f\x01", "", "%7F%01");
}
