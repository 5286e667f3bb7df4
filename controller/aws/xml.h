/* xml: the text of one element of the small documents with which S3 and STS answer. It is not an XML parser: an element
 * is found by its name alone, wherever it is, and must have no attributes and no elements inside. */
#ifndef AWS_XML_H
#define AWS_XML_H

#include "base/slice.h"

/* Copies the text of the first element <name>, its five entities decoded, cut to the size. False: there is none, and
 * `out` is "". */
bool xml_text(struct slice document, const char *name, char *out, size_t out_size);

#endif
