#include "base/base64.h"

#include "base/mem.h"

static int base64_value(char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

char *base64_decode(struct slice text, size_t *ret_size_bytes) {
    char *out CLEANUP_FREE = mem_alloc(text.size_bytes / 4 * 3 + 4);
    size_t size = 0, digits = 0, padding = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < text.size_bytes; i++) {
        char c = text.data[i];
        if (c == '\n' || c == '\r' || c == ' ' || c == '\t')
            continue;
        int value = base64_value(c);
        if (c == '=')
            padding++;
        else if (value < 0 || padding > 0)
            return NULL;
        bits = bits << 6 | (unsigned)(value < 0 ? 0 : value);
        if (++digits % 4 == 0) {
            out[size++] = (char)(bits >> 16 & 0xff);
            out[size++] = (char)(bits >> 8 & 0xff);
            out[size++] = (char)(bits & 0xff);
        }
    }
    if (digits % 4 != 0 || padding > 2)
        return NULL;
    size -= padding;
    out[size] = '\0';
    if (ret_size_bytes != NULL)
        *ret_size_bytes = size;
    char *result = out;
    out = NULL;
    return result;
}

char *base64_encode(struct slice bytes) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = mem_alloc((bytes.size_bytes + 2) / 3 * 4 + 1);
    size_t n = 0;
    for (size_t i = 0; i < bytes.size_bytes; i += 3) {
        size_t left = bytes.size_bytes - i;
        unsigned a = (unsigned char)bytes.data[i];
        unsigned b = left > 1 ? (unsigned char)bytes.data[i + 1] : 0;
        unsigned c = left > 2 ? (unsigned char)bytes.data[i + 2] : 0;
        unsigned bits = a << 16 | b << 8 | c;
        out[n++] = digits[bits >> 18];
        out[n++] = digits[bits >> 12 & 63];
        out[n++] = left > 1 ? digits[bits >> 6 & 63] : '=';
        out[n++] = left > 2 ? digits[bits & 63] : '=';
    }
    return out;
}
