#include "base/error.h"

#include "base/mem.h"

#include <stdarg.h>

/* What servers, plugins and files say is part of our texts: no line breaks, nothing that steers a terminal. */
static char *one_line(char *text) {
    for (char *p = text; *p != '\0'; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = ' ';
    return text;
}

int error_set(struct error **err, int code, const char *format, ...) {
    if (err == NULL)
        return -code;
    va_list args;
    va_start(args, format);
    char *text = one_line(mem_vformat(format, args));
    va_end(args);
    error_free(*err);
    *err = mem_new(struct error);
    (*err)->code = code;
    (*err)->text = text;
    return -code;
}

int error_wrap(struct error **err, int code, const char *format, ...) {
    if (err == NULL)
        return -code;
    va_list args;
    va_start(args, format);
    char *context = one_line(mem_vformat(format, args));
    va_end(args);
    if (*err == NULL)
        *err = mem_new(struct error);
    char *old = (*err)->text;
    (*err)->text = old != NULL ? mem_format("%s: %s", context, old) : mem_strdup(context);
    (*err)->code = code;
    free(old);
    free(context);
    return -code;
}

const char *error_text(const struct error *err) {
    return err != NULL && err->text != NULL ? err->text : "no error";
}

void error_free(struct error *err) {
    if (err == NULL)
        return;
    free(err->text);
    free(err);
}

void error_freep(struct error **err) {
    error_free(*err);
}
