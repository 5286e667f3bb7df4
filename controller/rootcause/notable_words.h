/* notable_words: next to the rows of the table (signatures.tsv) for lines, exceptions and modules, the texts by which
 * traceback.c and exception_text.c know a line outside a traceback. Each such line holds one, so that a pass over a
 * followed line is enough for nearly all (matcher_may_find). */
#ifndef ROOTCAUSE_NOTABLE_WORDS_H
#define ROOTCAUSE_NOTABLE_WORDS_H

#define NOTABLE_WORDS(X)                                                                                               \
    X("Traceback (most recent call last)")                                                                             \
    X("(most recent call first):")                                                                                     \
    X("During handling of the above exception")                                                                        \
    X("The above exception was the direct cause")                                                                      \
    X("Exception")                                                                                                     \
    X("--- Logging error ---")                                                                                         \
    X("Call stack:")                                                                                                   \
    X("Error")                                                                                                         \
    X("File ")                                                                                                         \
    X(".py:")                                                                                                          \
    X("(see above for traceback)")                                                                                     \
    X("exceptions.")                                                                                                   \
    X("errors.")                                                                                                       \
    X("error")                                                                                                         \
    X("KeyboardInterrupt")

#endif
