#include "formulas/chips.h"

#include "base/mem.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#define MAX_GFLOPS 1000000000

#define TITAN "torchtitan tools/utils.py"
#define TPU_DOCS "Cloud TPU documentation"
#define BLOG_2023 "Google Cloud blog, November 2023"

/* A new chip is a row here, and one or more in the labels below. */
static const struct chip chips[] = {
    {"TPU v4", {275000, 275000, 0}, 1, TITAN "; MaxText README"},
    {"TPU v5e", {197000, 394000, 0}, 1, BLOG_2023 " (10 EFLOP/s and 20 EOP/s of 50,944)"},
    {"TPU v5p", {459000, 918000, 459000}, 1, TPU_DOCS},
    {"TPU v6e", {918000, 1836000, 918000}, 1, TPU_DOCS},
    {"TPU7x", {2307000, 0, 4614000}, 2, TPU_DOCS "; " TITAN},
    {"A100", {312000, 0, 0}, 1, TITAN},
    {"H100 SXM", {989000, 0, 1979000}, 1, TITAN},
    {"H100 PCIe", {756000, 0, 0}, 1, TITAN},
    {"H100 NVL", {835000, 0, 0}, 1, TITAN},
    {"H200", {989000, 0, 1979000}, 1, TITAN},
    {"B200", {2250000, 0, 4500000}, 1, TITAN},
    {"B300", {2250000, 0, 4500000}, 1, TITAN},
    {"GB200", {2500000, 0, 5000000}, 1, TITAN},
    {"GB300", {2500000, 0, 5000000}, 1, TITAN},
    {"MI300X", {1300000, 0, 0}, 1, TITAN},
    {"MI325X", {1300000, 0, 0}, 1, TITAN},
    {"MI355X", {2500000, 0, 0}, 1, TITAN},
    {"L40S", {362000, 0, 0}, 1, TITAN},
    {"Trainium", {90000, 0, 0}, 1, TITAN},
    {"Trainium2", {158000, 0, 0}, 1, TITAN},
};

#define GKE_TPU "cloud.google.com/gke-tpu-accelerator"
#define GKE_GPU "cloud.google.com/gke-accelerator"
#define NVIDIA "nvidia.com/gpu.product"
#define AMD "amd.com/gpu.product-name"

/* A value that ends in '*' is a beginning: NVIDIA's feature discovery appends memory and sharing to the product. */
static const struct {
    const char *key, *value, *chip;
} labels[] = {
    {GKE_TPU, "tpu-v4-podslice", "TPU v4"},
    {GKE_TPU, "tpu-v5-lite-device", "TPU v5e"},
    {GKE_TPU, "tpu-v5-lite-podslice", "TPU v5e"},
    {GKE_TPU, "tpu-v5p-slice", "TPU v5p"},
    {GKE_TPU, "tpu-v6e-slice", "TPU v6e"},
    {GKE_TPU, "tpu-v6e-device", "TPU v6e"},
    {GKE_TPU, "tpu7x", "TPU7x"},
    {GKE_GPU, "nvidia-tesla-a100", "A100"},
    {GKE_GPU, "nvidia-a100-80gb", "A100"},
    {GKE_GPU, "nvidia-h100-80gb", "H100 SXM"},
    {GKE_GPU, "nvidia-h100-mega-80gb", "H100 SXM"},
    {GKE_GPU, "nvidia-h200-141gb", "H200"},
    {GKE_GPU, "nvidia-b200", "B200"},
    {GKE_GPU, "nvidia-b300", "B300"},
    {GKE_GPU, "nvidia-gb200", "GB200"},
    {GKE_GPU, "nvidia-gb300", "GB300"},
    {NVIDIA, "NVIDIA-A100-*", "A100"},
    {NVIDIA, "A100-*", "A100"},
    {NVIDIA, "NVIDIA-H100-80GB-HBM3*", "H100 SXM"},
    {NVIDIA, "NVIDIA-H100-PCIe*", "H100 PCIe"},
    {NVIDIA, "NVIDIA-H100-NVL*", "H100 NVL"},
    {NVIDIA, "NVIDIA-H200*", "H200"},
    {NVIDIA, "NVIDIA-B200*", "B200"},
    {NVIDIA, "NVIDIA-B300*", "B300"},
    {NVIDIA, "NVIDIA-GB200*", "GB200"},
    {NVIDIA, "NVIDIA-GB300*", "GB300"},
    {NVIDIA, "NVIDIA-L40S*", "L40S"},
    {AMD, "AMD_Instinct_MI300X*", "MI300X"},
    {AMD, "AMD_Instinct_MI325X*", "MI325X"},
    {AMD, "AMD_Instinct_MI355X*", "MI355X"},
};

/* What nodes with accelerators are labeled with, and selected by; some report how many chips the node has. GKE:
 * "Deploy TPU workloads", "Autopilot GPUs". NVIDIA/k8s-device-plugin docs/gpu-feature-discovery. Karpenter's
 * well-known labels: aws/karpenter-provider-aws, Azure/karpenter-provider-azure (concepts/scheduling). AMD's
 * k8s-node-labeller has no count. */
static const struct {
    bool is_count;
    const char *key;
} node_labels[] = {
    {false, GKE_TPU},
    {false, "cloud.google.com/gke-tpu-topology"},
    {false, GKE_GPU},
    {true, "cloud.google.com/gke-accelerator-count"},
    {false, NVIDIA},
    {false, "nvidia.com/gpu.present"},
    {true, "nvidia.com/gpu.count"},
    {false, AMD},
    {false, "karpenter.k8s.aws/instance-gpu-name"},
    {true, "karpenter.k8s.aws/instance-gpu-count"},
    {false, "karpenter.k8s.aws/instance-accelerator-name"},
    {true, "karpenter.k8s.aws/instance-accelerator-count"},
    {false, "karpenter.azure.com/sku-gpu-name"},
    {true, "karpenter.azure.com/sku-gpu-count"},
};
#define MAX_OF_NODE 1024

/* One unit is one chip, as the device plugin of its maker registers it. '+' stands for letters and digits, at least
 * one: Ascend's models have a resource each. Left out: shares and partitions (nvidia.com/mig-*, *.shared, vgpu, cores,
 * memory), and second names of the same devices (aws.amazon.com/neurondevice and neuroncore are listed next to neuron).
 */
static const struct {
    const char *name, *maker;
} resources[] = {
    {"google.com/tpu", "Google TPU"},
    {"nvidia.com/gpu", "NVIDIA GPU"},
    {"amd.com/gpu", "AMD GPU"},
    {"gpu.intel.com/i915", "Intel GPU, driver i915"},
    {"gpu.intel.com/xe", "Intel GPU, driver xe"},
    {"habana.ai/gaudi", "Intel Gaudi"},
    {"aws.amazon.com/neuron", "AWS Trainium and Inferentia"},
    {"huawei.com/Ascend+", "Huawei Ascend"},
    {"cambricon.com/mlu", "Cambricon MLU"},
    {"hygon.com/dcu", "Hygon DCU"},
    {"metax-tech.com/gpu", "MetaX GPU"},
    {"mthreads.com/gpu", "Moore Threads GPU"},
    {"iluvatar.com/gpu", "Iluvatar GPU"},
    {"enflame.com/gcu", "Enflame GCU"},
    {"kunlunxin.com/xpu", "Kunlunxin XPU"},
    {"furiosa.ai/rngd", "FuriosaAI RNGD"},
    {"rebellions.ai/ATOM", "Rebellions ATOM"},
};

/* Drivers whose devices are whole chips, and their DeviceClasses. NVIDIA/k8s-dra-driver-gpu (its partitions have
 * "-mig-" in their names, and the class mig.nvidia.com), google/dra-driver-tpu, ROCm/k8s-gpu-dra-driver,
 * intel/intel-resource-drivers-for-kubernetes, AWS Neuron. */
static const struct {
    const char *name, *maker;
} drivers[] = {
    {"gpu.nvidia.com", "NVIDIA GPU"},   {"tpu.google.com", "Google TPU"},
    {"gpu.amd.com", "AMD GPU"},         {"gpu.intel.com", "Intel GPU"},
    {"gaudi.intel.com", "Intel Gaudi"}, {"neuron.aws.com", "AWS Trainium and Inferentia"},
};

static bool is_letter_or_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_resource(struct slice resource, const char *pattern) {
    if (resource.size_bytes == 0 || resource.data[0] != pattern[0])
        return false;
    size_t size = strlen(pattern);
    if (pattern[size - 1] != '+')
        return slice_is(resource, pattern);
    if (resource.size_bytes < size || memcmp(resource.data, pattern, size - 1) != 0)
        return false;
    for (size_t i = size - 1; i < resource.size_bytes; i++)
        if (!is_letter_or_digit(resource.data[i]))
            return false;
    return true;
}

bool chip_is_resource(struct slice resource) {
    for (size_t i = 0; i < ARRAY_SIZE(resources); i++)
        if (is_resource(resource, resources[i].name))
            return true;
    return false;
}

bool chip_is_device_class(struct slice class_) {
    for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
        if (slice_is(class_, drivers[i].name))
            return true;
    return false;
}

bool chip_is_device(struct slice driver, struct slice device) {
    return chip_is_device_class(driver) && !slice_contains(device, "-mig-");
}

const struct chip *chip_find(struct slice name) {
    for (size_t i = 0; i < ARRAY_SIZE(chips); i++)
        if (strlen(chips[i].name) == name.size_bytes && strncasecmp(chips[i].name, name.data, name.size_bytes) == 0)
            return &chips[i];
    return NULL;
}

static bool is_like(struct slice value, const char *pattern) {
    size_t size = strlen(pattern);
    if (size > 0 && pattern[size - 1] == '*')
        return value.size_bytes >= size - 1 && memcmp(value.data, pattern, size - 1) == 0;
    return slice_is(value, pattern);
}

const struct chip *chip_of_label(struct slice key, struct slice value) {
    for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
        if (slice_is(key, labels[i].key) && is_like(value, labels[i].value))
            return chip_find(slice_of(labels[i].chip));
    return NULL;
}

bool chip_is_node_label(struct slice key) {
    for (size_t i = 0; i < ARRAY_SIZE(node_labels); i++)
        if (slice_is(key, node_labels[i].key))
            return true;
    return false;
}

int64_t chip_count_of_label(struct slice key, struct slice value) {
    int64_t count;
    for (size_t i = 0; i < ARRAY_SIZE(node_labels); i++)
        if (node_labels[i].is_count && slice_is(key, node_labels[i].key))
            return slice_take_uint(&value, &count) && value.size_bytes == 0 && count <= MAX_OF_NODE ? count : 0;
    return 0;
}

bool chip_is_partitioned(struct slice key, struct slice value) {
    return slice_is(key, NVIDIA) && slice_contains(value, "-MIG-");
}

bool chip_list_next(struct slice *rest, struct slice *name, struct slice *value) {
    const char *comma = slice_find_char(*rest, ',');
    struct slice one = comma ? slice_range(rest->data, comma) : *rest;
    *rest = slice_skip(*rest, one.size_bytes + (comma != NULL));
    const char *equals = slice_find_char(one, '=');
    if (equals == NULL)
        return false;
    *name = slice_range(one.data, equals);
    *value = slice_skip(one, name->size_bytes + 1);
    return true;
}

static bool take_override(struct slice *rest, struct slice *name, int64_t *gflops) {
    struct slice value;
    return chip_list_next(rest, name, &value) && slice_take_int(&value, gflops) && value.size_bytes == 0 &&
           *gflops > 0 && *gflops <= MAX_GFLOPS;
}

static const char *const types[CHIP_TYPES] = {"BF16", "INT8", "FP8"};

enum chip_type chip_type_find(struct slice name) {
    for (int i = 0; i < CHIP_TYPES; i++)
        if (slice_is(name, types[i]))
            return (enum chip_type)i;
    return CHIP_TYPES;
}

const char *chip_type_name(enum chip_type type) {
    return types[type];
}

/* "TPU v5e", which is BF16, or "TPU v5e/INT8". */
static const struct chip *find_typed(struct slice name, enum chip_type *type) {
    const char *slash = slice_find_char(name, '/');
    *type = CHIP_BF16;
    if (slash == NULL)
        return chip_find(name);
    *type = chip_type_find(slice_skip(name, (size_t)(slash - name.data) + 1));
    return *type == CHIP_TYPES ? NULL : chip_find(slice_range(name.data, slash));
}

int64_t chip_peak(const struct chip *chip, enum chip_type type, const char *overrides) {
    struct slice rest = slice_of(overrides ? overrides : ""), name;
    int64_t gflops;
    enum chip_type of;
    while (rest.size_bytes > 0)
        if (take_override(&rest, &name, &gflops) && find_typed(name, &of) == chip && of == type)
            return gflops;
    return chip->gflops[type];
}

int chip_overrides_check(const char *overrides, struct error **err) {
    struct slice rest = slice_of(overrides);
    while (rest.size_bytes > 0) {
        struct slice from = rest, name;
        int64_t gflops;
        enum chip_type of;
        if (!take_override(&rest, &name, &gflops))
            return error_set(err, EINVAL, "\"%.*s\" is not a list of CHIP=GFLOPS, such as \"TPU v5e=197000\"",
                             (int)from.size_bytes, from.data);
        if (find_typed(name, &of) == NULL)
            return error_set(err, EINVAL, "unknown chip \"%.*s\": deploy/docs/reference/chips.md lists the names",
                             (int)name.size_bytes, name.data);
    }
    return 0;
}
