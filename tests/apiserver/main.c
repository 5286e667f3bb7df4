/* test-apiserver: an embedded Kubernetes API server for tests and the demo. See README.md. */
#include "base/clock.h"
#include "base/mem.h"
#include "scenario.h"
#include "tls.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

struct options {
    struct wire_options wire;
    const char *port_file, *kubeconfig, *scenario, *directory;
    const char *crds[16], *absent[16];
    int crd_count, absent_count;
    size_t history;
    bool is_controlled;
};

static const char usage[] =
    "usage: test-apiserver [--port N] [--port-file F] [--kubeconfig-out F] [--scenario FILE] [--until-end]\n"
    "         [--tls | --tls-cert F --tls-key F --client-ca F] [--http1 | --h2] [--token T] [--crd FILE]...\n"
    "         [--absent GROUP]... [--print-table KIND] [--bookmark-interval S] [--history N] [--no-watch-list] "
    "[--control]\n";

enum {
    PORT = 1000,
    PORT_FILE,
    KUBECONFIG,
    SCENARIO,
    UNTIL_END,
    TLS,
    TLS_CERT,
    TLS_KEY,
    CLIENT_CA,
    HTTP1,
    H2,
    TOKEN,
    CRD,
    ABSENT,
    PRINT,
    BOOKMARK,
    HISTORY,
    NO_WATCH_LIST,
    CONTROL,
    HELP
};

static const struct option long_options[] = {
    {"port", 1, 0, PORT},
    {"port-file", 1, 0, PORT_FILE},
    {"kubeconfig-out", 1, 0, KUBECONFIG},
    {"scenario", 1, 0, SCENARIO},
    {"until-end", 0, 0, UNTIL_END},
    {"tls", 0, 0, TLS},
    {"tls-cert", 1, 0, TLS_CERT},
    {"tls-key", 1, 0, TLS_KEY},
    {"client-ca", 1, 0, CLIENT_CA},
    {"http1", 0, 0, HTTP1},
    {"h2", 0, 0, H2},
    {"token", 1, 0, TOKEN},
    {"crd", 1, 0, CRD},
    {"absent", 1, 0, ABSENT},
    {"print-table", 1, 0, PRINT},
    {"bookmark-interval", 1, 0, BOOKMARK},
    {"history", 1, 0, HISTORY},
    {"no-watch-list", 0, 0, NO_WATCH_LIST},
    {"control", 0, 0, CONTROL},
    {"help", 0, 0, HELP},
    {0},
};

static bool set_wire(struct options *o, int option, char *value) {
    switch (option) {
    case PORT:
        o->wire.port = (int)strtol(value, NULL, 10);
        return true;
    case TLS:
        o->wire.is_tls = true;
        return true;
    case TLS_CERT:
        o->wire.is_tls = true;
        o->wire.certificate_file = value;
        return true;
    case TLS_KEY:
        o->wire.key_file = value;
        return true;
    case CLIENT_CA:
        o->wire.client_ca_file = value;
        return true;
    case HTTP1:
        o->wire.is_http1_only = true;
        return true;
    case H2:
        o->wire.is_h2_only = true;
        return true;
    default:
        return false;
    }
}

static bool set_other(struct options *o, struct srv *s, int option, char *value) {
    switch (option) {
    case PORT_FILE:
        o->port_file = value;
        return true;
    case KUBECONFIG:
        o->kubeconfig = value;
        return true;
    case SCENARIO:
        o->scenario = value;
        return true;
    case UNTIL_END:
        s->is_until_end = true;
        return true;
    case TOKEN:
        snprintf(s->token, sizeof s->token, "%s", value);
        return true;
    case CRD:
        o->crds[o->crd_count++ % 16] = value;
        return true;
    case ABSENT:
        o->absent[o->absent_count++ % 16] = value;
        return true;
    case PRINT:
        s->print_table = value;
        return true;
    case BOOKMARK:
        s->bookmark_s = strtod(value, NULL);
        return true;
    case HISTORY:
        o->history = (size_t)strtoul(value, NULL, 10);
        return true;
    case NO_WATCH_LIST:
        s->has_watch_list = false;
        return true;
    case CONTROL:
        o->is_controlled = true;
        return true;
    default:
        return false;
    }
}

static int parse(struct options *o, struct srv *s, int argc, char **argv) {
    int option;
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        if (option == HELP || option == '?' || (!set_wire(o, option, optarg) && !set_other(o, s, option, optarg))) {
            fputs(usage, option == HELP ? stdout : stderr);
            return option == HELP ? 1 : 2;
        }
    }
    return 0;
}

static int prepare_tls(struct options *o, struct srv *s) {
    static char paths[3][1024], directory[1024] = ".";
    if (!o->wire.is_tls || o->wire.certificate_file != NULL)
        return 0;
    if (o->kubeconfig != NULL && strrchr(o->kubeconfig, '/') != NULL)
        snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(o->kubeconfig, '/') - o->kubeconfig),
                 o->kubeconfig);
    o->directory = directory;
    s->certificates = directory;
    s->certificate_number = 1;
    if (tls_make(directory) < 0)
        return -1;
    snprintf(paths[0], 1024, "%.1000s/server.crt", directory);
    snprintf(paths[1], 1024, "%.1000s/server.key", directory);
    snprintf(paths[2], 1024, "%.1000s/ca.crt", directory);
    o->wire.certificate_file = paths[0];
    o->wire.key_file = paths[1];
    o->wire.client_ca_file = paths[2];
    return 0;
}

static int write_kubeconfig(const struct options *o, const struct srv *s) {
    if (o->kubeconfig == NULL)
        return 0;
    FILE *f = fopen(o->kubeconfig, "w");
    if (f == NULL) {
        fprintf(stderr, "test-apiserver: %s: %s\n", o->kubeconfig, strerror(errno));
        return -1;
    }
    fchmod(fileno(f), 0600);
    fprintf(f,
            "apiVersion: v1\nkind: Config\ncurrent-context: test\ncontexts:\n- name: test\n  context: {cluster: test, "
            "user: "
            "test, namespace: default}\nclusters:\n- name: test\n  cluster:\n    server: http%s://127.0.0.1:%d\n",
            o->wire.is_tls ? "s" : "", s->port);
    if (o->wire.client_ca_file != NULL)
        fprintf(f, "    certificate-authority: %s\n", o->directory != NULL ? "ca.crt" : o->wire.client_ca_file);
    fprintf(f, "users:\n- name: test\n  user:%s\n", s->token[0] != '\0' || o->directory != NULL ? "" : " {}");
    if (s->token[0] != '\0')
        fprintf(f, "    token: \"%s\"\n", s->token);
    else if (o->directory != NULL)
        fprintf(f, "    client-certificate: client.crt\n    client-key: client.key\n");
    return fclose(f) == 0 ? 0 : -1;
}

static int load(struct srv *s, const struct options *o) {
    char why[200];
    static const char *const namespaces[] = {"default", "kube-system", "kube-node-lease", "goodput-system"};
    for (int i = 0; i < o->crd_count; i++) {
        CLEANUP_JSON json_t *crd = jx_load_file(o->crds[i], false, why);
        if (crd == NULL || registry_add_crd(&s->registry, crd, why) < 0) {
            fprintf(stderr, "test-apiserver: --crd %s: %s\n", o->crds[i], why);
            return -1;
        }
    }
    for (int i = 0; i < o->absent_count; i++) {
        if (registry_serve(&s->registry, o->absent[i], false) == 0) {
            fprintf(stderr, "test-apiserver: --absent %s: no such group or kind\n", o->absent[i]);
            return -1;
        }
    }
    for (size_t i = 0; i < ARRAY_SIZE(namespaces); i++) {
        CLEANUP_JSON json_t *ns =
            jx_format("{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\"},"
                      "\"status\":{\"phase\":\"Active\"}}",
                      namespaces[i]);
        if (srv_apply(s, ns, why) == NULL)
            return -1;
    }
    return 0;
}

static void on_signal(void *context) {
    struct srv *s = context;
    s->is_stopping = true;
    lws_cancel_service(s->context);
}

static void scenario_done(struct scenario *sc, const char *failure) {
    struct srv *s = sc->srv;
    if (failure != NULL) {
        fprintf(stderr, "test-apiserver: %s\n", failure);
        s->exit_code = 1;
    }
    if (failure != NULL || s->is_until_end)
        on_signal(s);
}

static int start_scenario(struct srv *s, const struct options *o) {
    if (o->scenario == NULL)
        return 0;
    FILE *f = fopen(o->scenario, "rb");
    if (f == NULL) {
        fprintf(stderr, "test-apiserver: --scenario %s: %s\n", o->scenario, strerror(errno));
        return -1;
    }
    CLEANUP_BUF struct buf text;
    buf_init(&text, 16 << 20);
    char piece[4096];
    size_t n;
    while ((n = fread(piece, 1, sizeof piece, f)) > 0)
        buf_append(&text, piece, n);
    fclose(f);
    scenario_start(s, o->scenario, buf_text(&text), scenario_done);
    return 0;
}

static void write_port_file(const struct options *o, const struct srv *s) {
    FILE *f = o->port_file != NULL ? fopen(o->port_file, "w") : NULL;
    if (f != NULL) {
        fprintf(f, "%d\n", s->port);
        fclose(f);
    }
}

static void run(struct srv *s, struct options *o) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    wire_watch_fd(s, signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK), on_signal, s);
    write_port_file(o, s);
    if (o->is_controlled) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        control_open(s, dup(STDIN_FILENO));
        printf(".ready %d %s\n", s->port, o->wire.is_tls ? "https" : "http");
        fflush(stdout);
    }
    if (start_scenario(s, o) < 0)
        s->exit_code = 1;
    while (!s->is_stopping && s->exit_code == 0 && lws_service(s->context, 0) >= 0)
        ;
}

static void done(struct srv *s) {
    scenario_stop_all(s);
    life_stop_all(s);
    each_stop();
    wire_close(s);
    control_done(s);
    faults_done(&s->faults);
    logs_done(&s->logs);
    read_forget_snapshots(s);
    kstore_done(&s->store);
    registry_done(&s->registry);
    json_decref(s->printed);
    for (size_t i = 0; i < s->request_count; i++)
        free(s->requests[i].text);
    free(s->requests);
}

int main(int argc, char **argv) {
    struct options opts = {.history = 20000}, *o = &opts;
    static struct srv server;
    struct srv *s = &server;
    s->bookmark_s = 60;
    s->has_watch_list = true;
    s->random = (uint64_t)clock_wall().us * 2654435761u | 1;
    int result = parse(o, s, argc, argv);
    if (result != 0)
        return result == 1 ? 0 : 2;
    registry_init(&s->registry);
    kstore_init(&s->store, o->history);
    if (load(s, o) < 0 || prepare_tls(o, s) < 0 || wire_open(s, &o->wire, &s->port) < 0)
        return 1;
    s->store.on_change = watch_change;
    s->store.context = s;
    if (write_kubeconfig(o, s) == 0)
        run(s, o);
    else
        s->exit_code = 1;
    done(s);
    return s->exit_code;
}
