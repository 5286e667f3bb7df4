/* Accelerators besides GPUs of CUDA: AWS Neuron and Intel Gaudi, by the numbers and the names of their statuses. */
#include "examples.h"

TEST(statuses_of_neuron) {
    static const struct example examples[] = {
        {CLASS_DEVICE_OOM, false, "RuntimeError: nrt_load status=4, error message=\"x\"\n"},
        {CLASS_HANG_WATCHDOG, true, "nrt_execute: status=5, error message=\"x\"\n"},
        {CLASS_NAN_DIVERGENCE, false, "RuntimeError: nrt_execute status=1003, error message=\"x\"\n"},
        {CLASS_GPU_DRIVER, false, "ERROR NRT status NRT_EXEC_NC_BUSY\n"},
        {CLASS_GPU_HARDWARE, false, "nrt_execute status=1202, message: Unknown\n"},
        {CLASS_GPU_HARDWARE, false, "NRT status NRT_EXEC_HW_ERR_HBM_UE\n"},
        /* a collective that hangs may do so because of another worker */
        {CLASS_COLLECTIVE_TIMEOUT, true, "NRT status NRT_EXEC_HW_ERR_COLLECTIVES\n"},
        {CLASS_COLLECTIVE_TIMEOUT, true, "nrt_execute status=1200, message: Unknown\n"},
        {CLASS_CUDA_ERROR, false, "nrt_load status=1, error message=\"Non specific failure\"\n"},
        {CLASS_UNKNOWN, false, "nrt_execute status=0, all is well\n"},
        {CLASS_GPU_DRIVER, false, "10:00:00.1 7:7 ERROR  TDRV:init_phase1    Could not open the nd3\n"},
        {CLASS_COMPILE_ERROR, false,
         "Traceback (most recent call last):\n  File \"/app/a.py\", line 7, in f\n    run()\n"
         "subprocess.CalledProcessError: Command '['neuronx-cc', 'compile']' returned non-zero exit status 70.\n"},
        {CLASS_COMPILE_ERROR, false, "OP_REQUIRES failed at a.cc:2 : INTERNAL: neuronx-cc compilation failed.\n"},
        {CLASS_DEVICE_OOM, false,
         "10:00:00.1 7:7 ERROR  TDRV:dmem_alloc_internal   Failed to alloc DEVICE memory: 9\n"},
        {CLASS_DEVICE_OOM, false, "NRTD response code 'NERR_RESOURCE' (4)\n"},
        {CLASS_COLLECTIVE_TIMEOUT, true, "7:7 [3] socket.h:579 CCOM WARN Timeout waiting for RX (waited 120 sec)\n"},
        {CLASS_STARTUP_RENDEZVOUS, false, "7:7 [3] bootstrap.cc:89 CCOM WARN Timeout waiting for a connection\n"},
        {CLASS_COMPILE_ERROR, false,
         "Aborted\n7: INFO ||NCC_WRAPPER||: Compilation failed after reaching max retries.\n"},
        {CLASS_HANG_WATCHDOG, true, "RuntimeError: Failed to execute the model status=5 message=Timeout Exceeded\n"},
        {CLASS_NAN_DIVERGENCE, false, "Error notifications found on NC .. INFER_ERROR_SUBTYPE_NUMERICAL\n"},
        {CLASS_GPU_HARDWARE, false,
         "Uncorrectable memory error is detected on Neuron device: 5:1. Failing execution.\n"},
        {CLASS_UNKNOWN, false, /* it continues, and one bit of its memory differs */
         "Uncorrectable memory error is detected on Neuron device: 5:1. The error might affect the results.\n"},
        {CLASS_NETWORK, false, "7:7 [1] init.cc:149 CCOM WARN OFI plugin initNet() failed is EFA enabled?\n"},
        {CLASS_GPU_DRIVER, false, "nrtd[1]: [NRTD:nrtd_main] Failed to initialize devices: , attempt: 1\n"},
        {CLASS_GPU_DRIVER, false, "RuntimeError: The PyTorch Neuron Runtime could not be initialized.\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

TEST(statuses_of_gaudi) {
    static const struct example examples[] = {
        {CLASS_GPU_DRIVER, false, "RuntimeError: synStatus=8 [Device not found] Device acquire failed.\n"},
        {CLASS_DEVICE_OOM, false, "RuntimeError: synStatus=4 [Out of device memory]\n"},
        {CLASS_DEVICE_OOM, false, "RuntimeError: [Rank:0] FATAL ERROR :: MODULE:PT_DEVMEM Allocation failed\n"},
        {CLASS_HOST_OOM, false, "failed: synOutOfHostMemory\n"},
        {CLASS_COMPILE_ERROR, false, "RuntimeError: Graph compile failed. synStatus=synStatus 26 [Generic failure].\n"},
        {CLASS_CUDA_ERROR, false, "RuntimeError: synStatus=26 [Generic failure]\n"},
        {CLASS_DEVICE_OOM, false,
         "RuntimeError: FATAL ERROR :: MODULE:SYNHELPER workspace Allocation of size ::9 failed!\n"},
        {CLASS_CUDA_ERROR, false, "  what():  [Rank:0] FATAL ERROR :: MODULE:PT_DEVICE GRAPH:: Capture must end\n"},
        {CLASS_PEER_LOST, true, "Unhandled exception: N3c105ErrorE. what(): Collective call returned error\n"},
        {CLASS_NETWORK, false, "The condition [ rc == 0 ] failed. hbldv_modify_qp(INIT) failed: 22, nic: 0\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

TEST(statuses_of_ascend) {
    static const struct example examples[] = {
        {CLASS_HANG_WATCHDOG, true, "rtDeviceSynchronize execute failed, reason=[stream sync timeout]\n"},
        {CLASS_STARTUP_RENDEZVOUS, false, "HcclCommInitRootInfo failed.\n"},
        {CLASS_CUDA_ERROR, false, "RuntimeError: ACL stream synchronize failed.\n"},
        {CLASS_COLLECTIVE_TIMEOUT, true, /* the call waited for a collective */
         "RuntimeError: f:a.ts:9 NPU function error: AclrtSynchronizeDeviceWithTimeout, error code is 507048\n"
         "EI0002: [PID: 7] The wait execution of the Notify register times out.\n"},
        {CLASS_COLLECTIVE_TIMEOUT, true, "EI0006: [PID: 7] Getting socket times out. Reason: Remote Rank is late.\n"},
        {CLASS_STARTUP_RENDEZVOUS, false,
         "Traceback (most recent call last):\n  File \"/app/a.py\", line 3, in f\n    dist.init_process_group('hccl')\n"
         "RuntimeError: EI0006: [PID: 7] Getting socket times out. Reason: Remote Rank is late.\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}
