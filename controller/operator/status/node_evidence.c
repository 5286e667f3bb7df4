#include "operator/status/node_evidence.h"

#include "base/rfc3339.h"

static const char *role_name(enum evidence_role role) {
    static const char *const names[] = {
#define X(id, name) name,
        EVIDENCE_ROLES(X)
#undef X
    };
    return names[role];
}

static void write_item(struct jwrite *w, const struct node_evidence *e) {
    char text[RFC3339_SIZE];
    jwrite_object(w);
    jwrite_member_text(w, "node", e->node);
    jwrite_member_text(w, "signal", e->signal);
    jwrite_member_text(w, "role", role_name(e->role));
    jwrite_member_text(w, "class", rootcause_class_name(e->class_));
    if (e->at_ms != TIME_UNKNOWN)
        jwrite_member_text(w, "time", rfc3339_format_s(text, e->at_ms));
    jwrite_member_text(w, "message", e->message);
    jwrite_object_end(w);
}

void node_evidence_write(struct jwrite *w, const struct job_evidence *evidence, int number) {
    for (int i = 0; evidence != NULL && i < evidence->count; i++) {
        const struct interruption_evidence *e = &evidence->items[i];
        if (e->number != number || e->count == 0)
            continue;
        jwrite_member_array(w, "nodeEvidence");
        for (int k = 0; k < e->count; k++)
            write_item(w, &e->items[k]);
        jwrite_array_end(w);
    }
}

const char *node_evidence_accused(const struct job_evidence *evidence, int number) {
    for (int i = 0; evidence != NULL && i < evidence->count; i++)
        for (int k = 0; evidence->items[i].number == number && k < evidence->items[i].count; k++) {
            const struct node_evidence *e = &evidence->items[i].items[k];
            if (e->role == EVIDENCE_CAUSE && rootcause_class_blames_node(e->class_))
                return e->node;
        }
    return NULL;
}
