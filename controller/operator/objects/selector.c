/* Kubernetes v1.36 core/v1 types.go: NodeSelector (terms are alternatives, the expressions of a term hold together),
 * NodeSelectorOperator. */
#include "operator/objects/selector.h"

#include "formulas/chips.h"
#include "operator/objects/objects.h"

void object_node_selector_scan(struct jscan *j, void *selects_chips) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        *(bool *)selects_chips |= chip_is_node_label(key);
        jscan_skip(j);
    }
}

struct expression {
    struct slice key, operator_;
};

static void expression_scan(struct jscan *j, void *selects_chips) {
    static const struct jmember rows[] = {JMEMBER(struct expression, key, "key"),
                                          JMEMBER(struct expression, operator_, "operator")};
    struct expression e = {.key = {0}};
    jmembers_read(j, JMEMBERS(rows), &e);
    bool is_positive = slice_is(e.operator_, "In") || slice_is(e.operator_, "Exists") || slice_is(e.operator_, "Gt");
    *(bool *)selects_chips |= is_positive && chip_is_node_label(e.key);
}

struct terms {
    int count, with_chips;
};

static void term_scan(struct jscan *j, void *at) {
    static const struct jmember rows[] = {JMEMBER_ELEMENTS("matchExpressions", expression_scan)};
    struct terms *terms = at;
    bool selects_chips = false;
    jmembers_read(j, JMEMBERS(rows), &selects_chips);
    terms->count++;
    terms->with_chips += selects_chips;
}

void object_affinity_scan(struct jscan *j, void *selects_chips) {
    static const struct jmember selector[] = {JMEMBER_ELEMENTS("nodeSelectorTerms", term_scan)};
    static const struct jmember node[] = {JMEMBER_OBJECT("requiredDuringSchedulingIgnoredDuringExecution", selector)};
    static const struct jmember rows[] = {JMEMBER_OBJECT("nodeAffinity", node)};
    struct terms terms = {0, 0};
    jmembers_read(j, JMEMBERS(rows), &terms);
    *(bool *)selects_chips |= terms.count > 0 && terms.with_chips == terms.count;
}
