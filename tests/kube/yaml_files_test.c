/* YAML that is shipped, read as kubectl and kustomize read it: a key that a mapping has twice is an error. What the
 * chart renders is read in tests/packaging/chart.sh. */
#include "base/file.h"
#include "base/mem.h"
#include "harness.h"

#include <glob.h>
#include <string.h>
#include <yaml.h>

static bool is_same_key(const yaml_node_t *a, const yaml_node_t *b) {
    return a->type == YAML_SCALAR_NODE && b->type == YAML_SCALAR_NODE &&
           a->data.scalar.length == b->data.scalar.length &&
           memcmp(a->data.scalar.value, b->data.scalar.value, a->data.scalar.length) == 0;
}

/* The line of the first key that its mapping has twice; 0 if there is none. */
static size_t find_repeated_key(yaml_document_t *document) {
    yaml_node_t *node;
    for (int n = 1; (node = yaml_document_get_node(document, n)) != NULL; n++) {
        if (node->type != YAML_MAPPING_NODE)
            continue;
        for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++)
            for (yaml_node_pair_t *q = node->data.mapping.pairs.start; q < p; q++) {
                yaml_node_t *key = yaml_document_get_node(document, p->key);
                if (is_same_key(key, yaml_document_get_node(document, q->key)))
                    return key->start_mark.line + 1;
            }
    }
    return 0;
}

/* The line of the first fault, 0 if there is none; adds the number of documents. */
static size_t find_fault(const char *text, int *documents) {
    yaml_parser_t parser;
    size_t line = 0;
    bool is_end = false;
    CHECK(yaml_parser_initialize(&parser) != 0);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
    while (line == 0 && !is_end) {
        yaml_document_t document;
        if (yaml_parser_load(&parser, &document) == 0) {
            line = parser.problem_mark.line + 1;
            break;
        }
        is_end = yaml_document_get_root_node(&document) == NULL;
        line = find_repeated_key(&document);
        *documents += !is_end;
        yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
    return line;
}

TEST(a_key_that_is_there_twice_is_found) {
    static const struct {
        const char *text;
        size_t line;
    } cases[] = {
        {"a: 1\nb: {a: 1}\n", 0},
        {"a: 1\nb: 2\na: 3\n", 3},
        {"---\na: 1\n---\na: 1\n", 0},
        {"a: 1\n---\nb: 1\nb: 2\n", 4},
        {"x:\n- {c: 1}\n- {d: 1, d: 2}\n", 3},
        {"x:\n  \"a\": 1\n  a: 2\n", 3},
        {"a: [1\n", 2},
        {"", 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        int documents = 0;
        CHECK_INT(find_fault(cases[i].text, &documents), cases[i].line);
    }
}

TEST(shipped_yaml_is_read_strictly) {
    static const struct {
        const char *pattern;
        int min_files;
    } shipped[] = {
        {"crds/*.yaml", 3},
        {"deploy/*.yaml", 3},
        {"deploy/kubectl/*.yaml", 1},
        {"helm/goodput-controller/*.yaml", 2},
        {"helm/goodput-controller/files/*.yaml", 4},
        {"tests/data/crd/*/*.yaml", 40},
        {"tests/data/formats/*.yaml", 1},
        {"tests/cluster/*/*.yaml", 8},
    };
    for (size_t i = 0; i < ARRAY_SIZE(shipped); i++) {
        glob_t found;
        REQUIRE(glob(shipped[i].pattern, 0, NULL, &found) == 0);
        CHECK((int)found.gl_pathc >= shipped[i].min_files);
        for (size_t f = 0; f < found.gl_pathc; f++) {
            char *text CLEANUP_FREE = NULL;
            int documents = 0;
            REQUIRE(file_read(found.gl_pathv[f], 4 << 20, &text, NULL) >= 0);
            size_t line = find_fault(text, &documents);
            if (line > 0)
                fprintf(stderr, "%s:%zu: not YAML, or a key that is there twice\n", found.gl_pathv[f], line);
            CHECK_INT(line, 0);
            CHECK(documents > 0);
        }
        globfree(&found);
    }
}
