/* The table of node signals: what each agent publishes, in its shape, and what a site adds. */
#include "harness.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "rootcause/node_signals.h"

#include <errno.h>

static void print_pattern(struct buf *out, struct slice pattern) {
    buf_clear(out);
    for (size_t i = 0; i < pattern.size_bytes; i++)
        if (pattern.data[i] == '*')
            buf_append_text(out, "(x) ");
        else if (pattern.data[i] == '#')
            buf_append_text(out, "48");
        else
            buf_append_char(out, pattern.data[i]);
}

/* The table itself: what, key, value, text, class, role ... */
TEST(every_row_is_found_by_what_it_shows) {
    static const char *const kinds[] = {
#define X(id, name) name,
        NODE_SIGNAL_KINDS(X)
#undef X
    };
    size_t size;
    int count = 0;
    CLEANUP_FREE char *file = harness_read_file("controller/rootcause/node_signals.tsv", &size);
    struct node_signals *signals = node_signals_new();
    struct slice line, rest = {file, size};
    CLEANUP_BUF struct buf key, value, text;
    buf_init(&key, 4096);
    buf_init(&value, 4096);
    buf_init(&text, 4096);
    while (slice_take_line(&rest, &line)) {
        struct slice f[6] = {{0}};
        if (line.size_bytes == 0 || line.data[0] == '#')
            continue;
        for (int i = 0; i < 6; i++)
            CHECK(slice_take_until(&line, '\t', &f[i]));
        struct node_signal_meaning m = {0};
        struct node_signal_shown shown = {0};
        while (!slice_is(f[0], kinds[shown.kind]))
            shown.kind++;
        print_pattern(&key, f[1]);
        print_pattern(&value, f[2]);
        print_pattern(&text, f[3]);
        shown.key = buf_slice(&key), shown.value = buf_slice(&value), shown.text = buf_slice(&text);
        bool is_known = node_signals_know(signals, shown.kind, shown.key);
        bool is_found = node_signals_find(signals, &shown, &m);
        bool is_same = slice_is(f[4], rootcause_class_name(m.class_)) && m.is_primary == slice_is(f[5], "primary");
        if (slice_is(f[4], "xid") || (shown.kind == NODE_SIGNAL_XID && slice_is(f[1], "#"))) /* by the row of 48 */
            is_same = strcmp(m.name, "Xid48") == 0;
        if (!is_known || !is_found || !is_same)
            harness_fail(__FILE__, __LINE__, "%.*s is found as %s", SLICE_ARG(f[1]), m.name);
        count++;
    }
    CHECK(count > 100);
    node_signals_free(signals);
}

struct shown_case {
    enum node_signal_kind kind;
    const char *key, *value, *text;
    const char *name; /* NULL: no signal */
    enum rootcause_class class_;
    bool is_primary;
};

static void check_cases(const struct node_signals *signals, const struct shown_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct node_signal_meaning m = {0};
        struct node_signal_shown shown = {cases[i].kind, slice_of(cases[i].key), slice_of(cases[i].value),
                                          slice_of(cases[i].text)};
        bool is_found = node_signals_find(signals, &shown, &m);
        if (is_found != (cases[i].name != NULL) ||
            (is_found && (strcmp(m.name, cases[i].name) != 0 || m.class_ != cases[i].class_ ||
                          m.is_primary != cases[i].is_primary)))
            harness_fail(__FILE__, __LINE__, "case %zu, %s: found \"%s\", class %s, primary %d", i, cases[i].key,
                         m.name, rootcause_class_name(m.class_), m.is_primary);
    }
}

TEST(agents_publish_in_their_own_shapes) {
    static const struct shown_case cases[] = {
        /* GKE: JSON as the reason, the boot ID as the message; of several numbers, one that can be a cause */
        {NODE_SIGNAL_CONDITION, "XidCriticalError", "True", "{\"48\":true}: 5ae1", "Xid48", CLASS_GPU_HARDWARE, true},
        {NODE_SIGNAL_CONDITION, "XidCriticalError", "True", "{\"13\":true,\"79\":true}: 5ae1", "Xid79",
         CLASS_GPU_HARDWARE, true},
        {NODE_SIGNAL_CONDITION, "XidCriticalError", "True", "{\"13\":true,\"31\":true}: 5ae1", "Xid13",
         CLASS_CUDA_ERROR, false},
        {NODE_SIGNAL_CONDITION, "XidCriticalError", "True", "{\"63\":true}: 5ae1", "Xid63", CLASS_GPU_HARDWARE, false},
        {NODE_SIGNAL_CONDITION, "XidCriticalError", "True", "other: 5ae1", "XidCriticalError", CLASS_GPU_HARDWARE,
         true},
        {NODE_SIGNAL_CONDITION, "XidCriticalError", "False", "{\"48\":true}: 5ae1", NULL, 0, false},
        /* EKS */
        {NODE_SIGNAL_CONDITION, "AcceleratedHardwareReady", "False", "NvidiaXID64Error: GPU 3", "Xid64",
         CLASS_GPU_HARDWARE, true},
        {NODE_SIGNAL_CONDITION, "AcceleratedHardwareReady", "False", "DCGMHealthCode110: x", "DCGMHealthCode110",
         CLASS_GPU_HARDWARE, true},
        {NODE_SIGNAL_CONDITION, "AcceleratedHardwareReady", "True", "NvidiaAcceleratedHardwareIsReady: ", NULL, 0,
         false},
        {NODE_SIGNAL_EVENT, "NvidiaXID31Warning", "", "x", "Xid31", CLASS_CUDA_ERROR, false},
        {NODE_SIGNAL_EVENT, "NvidiaXID79Warning", "", "x", "Xid79", CLASS_GPU_HARDWARE, false},
        /* NVSentinel: the message has the code; an Event is not fatal */
        {NODE_SIGNAL_CONDITION, "SysLogsXIDError", "True",
         "SysLogsXIDErrorIsNotHealthy: ErrorCode:119 PCI:0000:0f:00 Recommended Action=COMPONENT_RESET;", "Xid119",
         CLASS_GPU_HARDWARE, true},
        {NODE_SIGNAL_CONDITION, "GpuMemWatch", "True", "GpuMemWatchIsNotHealthy: ErrorCode:DCGM_FR_FAULTY_MEMORY GPU:0",
         "GpuHealthWatch", CLASS_GPU_HARDWARE, true},
        {NODE_SIGNAL_CONDITION, "GpuMemWatch", "False", "GpuMemWatchIsHealthy: No Health Failures", NULL, 0, false},
        {NODE_SIGNAL_EVENT, "GpuPowerWatchIsNotHealthy", "", "x", "GpuHealthWatch", CLASS_GPU_HARDWARE, false},
        {NODE_SIGNAL_ANNOTATION, "quarantineHealthEvent",
         "[{\"agent\":\"syslog-health-monitor\",\"componentClass\":\"GPU\",\"errorCode\":[\"79\"]}]", "", "Xid79",
         CLASS_GPU_HARDWARE, true},
        /* the rest, one of each kind */
        {NODE_SIGNAL_CONDITION, "AMDGPUDeviceInternalError", "True", "AMDGPUIsDown: x", "AMDGPUError",
         CLASS_GPU_HARDWARE, true},
        {NODE_SIGNAL_LABEL, "metricsexporter.amd.com.gpu.3.state", "unhealthy", "", "AMDGPUUnhealthy",
         CLASS_GPU_HARDWARE, true},
        {NODE_SIGNAL_LABEL, "metricsexporter.amd.com.gpu.3.state", "healthy", "", NULL, 0, false},
        {NODE_SIGNAL_TAINT, "amd-gpu-unhealthy", "true", "NoSchedule", "AMDGPUUnhealthy", CLASS_GPU_HARDWARE, true},
        {NODE_SIGNAL_DEVICE, "gpu.nvidia.com/xid", "31", "None", "XidNotFatal", CLASS_CUDA_ERROR, false},
        {NODE_SIGNAL_DEVICE, "gpu.nvidia.com/xid", "79", "NoSchedule", "Xid79", CLASS_GPU_HARDWARE, true},
        {NODE_SIGNAL_DEVICE, "gpu.nvidia.com/gpu-lost", "", "NoSchedule", "GPULost", CLASS_GPU_HARDWARE, true},
        {NODE_SIGNAL_CONDITION, "ReadonlyFilesystem", "True", "FilesystemIsReadOnly: x", "ReadonlyFilesystem",
         CLASS_STORAGE_ERROR, true},
        {NODE_SIGNAL_CONDITION, "NebiusGPUError", "True", "GPUHealthCheckFailedMK8S: {}", "NebiusGPUError",
         CLASS_GPU_HARDWARE, true},
        {NODE_SIGNAL_CONDITION, "XIDErrors", "True", "XIDErrors: XID 94 on GPU 2", "Xid94", CLASS_GPU_HARDWARE, true},
        /* node-problem-detector: a rule for the log of the kernel names the condition, the message is the kernel's */
        {NODE_SIGNAL_CONDITION, "GPUXidProblem", "True", "GPUXid: NVRM: Xid (PCI:0000:9b:00): 79, pid=7, GPU has",
         "Xid79", CLASS_GPU_HARDWARE, true},
        {NODE_SIGNAL_CONDITION, "XIDErrors", "True", "x: NVRM: Xid (PCI:0000:9b:00): 31, pid=7, Ch 8", "Xid31",
         CLASS_CUDA_ERROR, false},
        {NODE_SIGNAL_CONDITION, "GPUXidProblem", "False", "NoGPUXid: the kernel reports no Xid", NULL, 0, false},
        {NODE_SIGNAL_EVENT, "GPUXid", "", "NVRM: Xid (PCI:0000:9b:00): 79, pid=7, GPU has", "Xid79", CLASS_GPU_HARDWARE,
         false},
        {NODE_SIGNAL_EVENT, "GPUXid", "", "no number", NULL, 0, false},
        {NODE_SIGNAL_CONDITION, "Ready", "False", "KubeletNotReady: x", NULL, 0, false},
        {NODE_SIGNAL_CONDITION, "", "", "", NULL, 0, false},
        {NODE_SIGNAL_EVENT, "NodeHasSufficientMemory", "", "", NULL, 0, false},
    };
    struct node_signals *signals = node_signals_new();
    check_cases(signals, cases, sizeof cases / sizeof *cases);
    node_signals_free(signals);
}

TEST(the_rows_of_a_site_come_first) {
    static const char table[] =
        "# ours\n\n"
        "condition\tRackPowerLost\tTrue\t*\tUnknown\tprimary\tProvider\tRackPowerLost\tour facility\n"
        "event\tOOMKilling\t-\t*\tHostOOM\tnone\t-\tOOMKilling\tnoisy here\r\n"
        "condition\tSwitchErrors\tTrue\t*port #*\txid\tprimary\t-\tXid#\tours\n"
        "xid\t13\t-\t*\tGPUHardware\tprimary\t-\tXid13\tour fleet";
    static const struct shown_case cases[] = {
        {NODE_SIGNAL_CONDITION, "RackPowerLost", "True", "x: y", "RackPowerLost", CLASS_UNKNOWN, true},
        {NODE_SIGNAL_EVENT, "OOMKilling", "", "x", NULL, 0, false},
        {NODE_SIGNAL_CONDITION, "XidCriticalError", "True", "{\"13\":true}: ", "Xid13", CLASS_GPU_HARDWARE, true},
        {NODE_SIGNAL_CONDITION, "SwitchErrors", "True", "port 79 is down: ", "Xid79", CLASS_GPU_HARDWARE, true},
        {NODE_SIGNAL_CONDITION, "KernelDeadlock", "True", "DockerHung: x", "KernelDeadlock", CLASS_UNKNOWN, true},
    };
    struct node_signals *signals = node_signals_new();
    CLEANUP_ERROR struct error *err = NULL;
    CHECK_INT(node_signals_add(signals, slice_of(table), &err), 0);
    CHECK_TEXT(error_text(err), "no error");
    check_cases(signals, cases, sizeof cases / sizeof *cases);
    node_signals_free(signals);
}

TEST(a_bad_row_is_named_by_its_line) {
    static const struct {
        const char *table, *error;
    } cases[] = {
        {"# x\ncondition\tX\tTrue", "line 2: 9 fields, separated by tabs, are needed: what, key, value, text, class, "
                                    "role, owner, signal, source"},
        {"condition\tX\tTrue\t*\tUnknown\tweak\t-\tX\ta\tb",
         "line 1: 9 fields, separated by tabs, are needed: what, key, value, text, class, role, owner, signal, source"},
        {"condition\t\tTrue\t*\tUnknown\tweak\t-\tX\ta",
         "line 1: field 2 of 9 is empty: \"*\" fits anything, \"-\" stands for none"},
        {"\npod\tX\tTrue\t*\tUnknown\tweak\t-\tX\ta",
         "line 2: unknown what \"pod\": use condition, taint, label, annotation, event, device or xid"},
        {"condition\tX\tTrue\t*\tGpu\tweak\t-\tX\ta",
         "line 1: unknown class \"Gpu\": use a class of deploy/docs/reference/root-causes.md, or xid"},
        {"condition\tX\tTrue\t*\tUnknown\tcause\t-\tX\ta", "line 1: unknown role \"cause\": use primary, weak or none"},
        {"condition\tX\tTrue\t*\tUnknown\tweak\tme\tX\ta",
         "line 1: unknown owner \"me\": use -, Tenant, Platform, Provider or Unknown"},
        {"condition\tX\tTrue\t*\tUnknown\tweak\t-\tx y\ta",
         "line 1: unknown signal \"x y\": use a name in CamelCase, at most 57 letters, digits and #"},
        {"condition\tX\tTrue\t*\txid\tweak\t-\tX\ta", "line 1: class xid needs a # in the key, the value or the text"},
        {"xid\t#\t-\t*\txid\tweak\t-\tX\ta",
         "line 1: unknown class \"xid\": use a class of deploy/docs/reference/root-causes.md, or xid"},
    };
    struct node_signals *signals = node_signals_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEANUP_ERROR struct error *err = NULL;
        CHECK_INT(node_signals_add(signals, slice_of(cases[i].table), &err), -EINVAL);
        CHECK_TEXT(error_text(err), cases[i].error);
    }
    struct node_signal_meaning m;
    CHECK(!node_signals_find(signals,
                             &(struct node_signal_shown){NODE_SIGNAL_CONDITION, SLICE("X"), SLICE("True"), {0}}, &m));
    node_signals_free(signals);
}

TEST(a_table_is_bounded) {
    struct node_signals *signals = node_signals_new();
    CLEANUP_BUF struct buf table;
    CLEANUP_ERROR struct error *err = NULL, *more = NULL, *large = NULL;
    buf_init(&table, NODE_SIGNAL_MAX_TABLE_BYTES + 100);
    for (int i = 0; i <= NODE_SIGNAL_MAX_ROWS; i++)
        buf_format(&table, "taint\tk%d\t*\t*\tUnknown\tweak\t-\tK\tx\n", i);
    CHECK_INT(node_signals_add(signals, buf_slice(&table), &more), -EINVAL);
    CHECK_TEXT(error_text(more), "line 1001: more than 1000 rows");
    buf_clear(&table);
    while (table.size_bytes <= NODE_SIGNAL_MAX_TABLE_BYTES)
        buf_append_text(&table, "# more\n");
    CHECK_INT(node_signals_add(signals, buf_slice(&table), &large), -EINVAL);
    CHECK(strstr(error_text(large), "at most 65536 are read") != NULL);
    CHECK_INT(node_signals_add(signals, slice_of(""), &err), 0);
    node_signals_free(signals);
}

TEST(a_text_may_name_an_earlier_time) {
    CHECK_INT(node_signal_named_ms(slice_of("GPU lost at 2026-11-21T02:16:52Z, seen later")), 1795227412000);
    CHECK_INT(node_signal_named_ms(slice_of("{\"generatedTimestamp\":\"2026-11-21T02:16:52.5Z\"}")), 1795227412500);
    CHECK_INT(node_signal_named_ms(slice_of("no time: 2026-11-21, 1234")), TIME_UNKNOWN);
    CHECK_INT(node_signal_named_ms(slice_of("")), TIME_UNKNOWN);
}
