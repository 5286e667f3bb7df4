/* Replays files through a fuzz target without clang: link with one fuzz_<target>.c and the libraries, and give it the
 * files of tests/data/fuzz/fuzz_<target>/. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        if (f == NULL) {
            fprintf(stderr, "%s: cannot open\n", argv[i]);
            return 1;
        }
        static uint8_t buffer[1 << 20];
        size_t size = fread(buffer, 1, sizeof buffer, f);
        fclose(f);
        uint8_t *exact = malloc(size != 0 ? size : 1); /* so that a read beyond is seen */
        if (exact == NULL)
            return 1;
        for (size_t k = 0; k < size; k++)
            exact[k] = buffer[k];
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    printf("%d inputs replayed\n", argc - 1);
    return 0;
}
