/* error: what went wrong, as one sentence for a person, with an errno for the program.
 *
 * A function that can fail takes `struct error **err` last and returns a negative errno. It fills *err only on
 * failure; err may be NULL. Each layer adds its context once with error_wrap(), so the final text reads from the
 * outermost layer inwards: "kubeconfig /home/a/.kube/config: line 3: mapping expected". Whoever handles the error
 * frees it. A text is one line: control characters in it become blanks. Programming errors use assert instead.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

struct error {
    int code; /* positive errno */
    char *text;
};

/* Sets *err (if err is not NULL) to a new error; returns -code, so that `return error_set(err, EINVAL, ...)` works. */
int error_set(struct error **err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Puts "<formatted>: " before the text of *err, whose code becomes `code` (pass on the positive errno of the failed
 * call); returns -code. err may be NULL. */
int error_wrap(struct error **err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The text; "no error" for NULL. Borrowed. */
const char *error_text(const struct error *err);

void error_free(struct error *err);
void error_freep(struct error **err);
#define CLEANUP_ERROR __attribute__((cleanup(error_freep)))

#endif
