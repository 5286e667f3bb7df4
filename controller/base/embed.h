/* embed: a file of the repository as constant bytes of the program. C17 has no #embed, so the assembler reads it:
 * ELF's, or Mach-O's for macOS, where C's names begin with an underscore in assembly. Paths start at the repository's
 * root, where make runs. */
#ifndef BASE_EMBED_H
#define BASE_EMBED_H

#include "base/slice.h"

#include <stdint.h>

#ifdef __APPLE__
#define EMBED_SECTION ".section __TEXT,__const\n"
#define EMBED_NAME(name) "_" #name
#define EMBED_LABEL(name) "L" #name
#else
#define EMBED_SECTION ".section .rodata,\"a\"\n"
#define EMBED_NAME(name) #name
#define EMBED_LABEL(name) ".L" #name
#endif

/* At file scope: the bytes of the file at path, a string, become embedded(name). Their size is a separate number,
 * because a linker of Mach-O may move apart what two names mark. */
#define EMBED(name, path)                                                                                              \
    __asm__(EMBED_SECTION ".p2align 3\n" EMBED_NAME(                                                                   \
        name##_size) ":\n"                                                                                             \
                     ".quad " EMBED_LABEL(name##_end) " - " EMBED_LABEL(name##_start) "\n" EMBED_NAME(                 \
                         name) ":\n" EMBED_LABEL(name##_start) ":\n"                                                   \
                                                               ".incbin \"" path                                       \
                                                               "\"\n" EMBED_LABEL(name##_end) ":\n"                    \
                                                                                              ".byte 0\n"              \
                                                                                              ".previous\n");          \
    __attribute__((visibility("hidden"))) extern const char name[];                                                    \
    __attribute__((visibility("hidden"))) extern const uint64_t name##_size

#define embedded(name) ((struct slice){name, (size_t)name##_size})

#endif
