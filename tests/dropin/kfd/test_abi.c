/* SPDX-License-Identifier: MIT */
/*
 * The driver's calls against the kernel's own header: numbers, sizes,
 * directions and fields. The header of Debian 12 ends at 1.11; later calls are
 * written out here, from newer ones.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "dropin/kfd/client.h"

#if __has_include(<linux/kfd_ioctl.h>)
#include <linux/kfd_ioctl.h>

/* The kernel's request of each call, or 0 for one that is newer; and the errno
 * of calls that the driver refuses, as the kernel's answers a client without
 * rights or hardware for them. */
static const struct {
  unsigned long request;
  int refused;
} calls[] = {
    {AMDKFD_IOC_GET_VERSION, 0},
    {AMDKFD_IOC_CREATE_QUEUE, 0},
    {AMDKFD_IOC_DESTROY_QUEUE, 0},
    {AMDKFD_IOC_SET_MEMORY_POLICY, 0},
    {AMDKFD_IOC_GET_CLOCK_COUNTERS, 0},
    {AMDKFD_IOC_GET_PROCESS_APERTURES, 0},
    {AMDKFD_IOC_UPDATE_QUEUE, 0},
    {AMDKFD_IOC_CREATE_EVENT, 0},
    {AMDKFD_IOC_DESTROY_EVENT, 0},
    {AMDKFD_IOC_SET_EVENT, 0},
    {AMDKFD_IOC_RESET_EVENT, 0},
    {AMDKFD_IOC_WAIT_EVENTS, 0},
    {AMDKFD_IOC_DBG_REGISTER_DEPRECATED, EPERM},
    {AMDKFD_IOC_DBG_UNREGISTER_DEPRECATED, EPERM},
    {AMDKFD_IOC_DBG_ADDRESS_WATCH_DEPRECATED, EPERM},
    {AMDKFD_IOC_DBG_WAVE_CONTROL_DEPRECATED, EPERM},
    {AMDKFD_IOC_SET_SCRATCH_BACKING_VA, 0},
    {AMDKFD_IOC_GET_TILE_CONFIG, 0},
    {AMDKFD_IOC_SET_TRAP_HANDLER, 0},
    {AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, 0},
    {AMDKFD_IOC_ACQUIRE_VM, 0},
    {AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, 0},
    {AMDKFD_IOC_FREE_MEMORY_OF_GPU, 0},
    {AMDKFD_IOC_MAP_MEMORY_TO_GPU, 0},
    {AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, 0},
    {AMDKFD_IOC_SET_CU_MASK, 0},
    {AMDKFD_IOC_GET_QUEUE_WAVE_STATE, EINVAL},
    {AMDKFD_IOC_GET_DMABUF_INFO, 0},
    {AMDKFD_IOC_IMPORT_DMABUF, 0},
    {AMDKFD_IOC_ALLOC_QUEUE_GWS, 0},
    {AMDKFD_IOC_SMI_EVENTS, EINVAL},
    {AMDKFD_IOC_SVM, 0},
    {AMDKFD_IOC_SET_XNACK_MODE, 0},
    {AMDKFD_IOC_CRIU_OP, EACCES},
    {AMDKFD_IOC_AVAILABLE_MEMORY, 0},
    {_IOC(_IOC_READ | _IOC_WRITE, 'K', 0x24, 16), 0},     /* EXPORT_DMABUF */
    {_IOC(_IOC_READ | _IOC_WRITE, 'K', 0x25, 16), 0},     /* RUNTIME_ENABLE */
    {_IOC(_IOC_READ | _IOC_WRITE, 'K', 0x26, 40), EPERM}, /* DBG_TRAP */
    /* AMD's own driver's, as its libhsakmt calls them */
    {_IOC(_IOC_READ | _IOC_WRITE, 'K', 0x80, 48), 0}, /* IPC_IMPORT_HANDLE */
    {_IOC(_IOC_READ | _IOC_WRITE, 'K', 0x81, 32), 0}, /* IPC_EXPORT_HANDLE */
    {_IOC(_IOC_READ | _IOC_WRITE, 'K', 0x83, 48),
     EINVAL}, /* CROSS_MEMORY_COPY */
    {_IOC(_IOC_READ | _IOC_WRITE, 'K', 0x84, 32), EINVAL}, /* RLC_SPM */
};

START_TEST(every_call_has_the_kernels_number_size_and_direction)
{
  aqkfd_call_info info;
  size_t count = 0;
  for (; aqkfd_call_describe(count, &info); count++) {
    ck_assert_uint_lt(count, sizeof calls / sizeof *calls);
    const unsigned long request = calls[count].request;
    const unsigned direction = (_IOC_DIR(request) & _IOC_WRITE ? AQKFD_IN : 0) |
                               (_IOC_DIR(request) & _IOC_READ ? AQKFD_OUT : 0);
    ck_assert_msg(_IOC_NR(request) == info.number, "%s", info.name);
    ck_assert_msg(direction == info.direction, "%s", info.name);
    if (info.answer != AQKFD_REFUSED)
      ck_assert_msg(_IOC_SIZE(request) == info.bytes, "%s: %u", info.name,
                    info.bytes);
  }
  ck_assert_uint_eq(count, sizeof calls / sizeof *calls);
}
END_TEST

START_TEST(refused_calls_answer_as_the_kernels_driver)
{
  client c;
  uint64_t nothing[128] = {0};
  client_open(&c, "mi210", NULL);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    const int error = aqkfd_ioctl(c.process, calls[i].request, nothing);
    memset(nothing, 0, sizeof nothing);
    if (calls[i].refused)
      ck_assert_msg(error == -calls[i].refused, "call %zu: %d", i + 1, error);
    else
      ck_assert_msg(error != -ENOTTY && error != -EPERM && error != -EACCES,
                    "call %zu: %d", i + 1, error);
  }
  client_close(&c);
}
END_TEST

/* Fields at their places: ours, and the kernel's of the same name. */
#define SAME(ours, theirs, field)                                              \
  {                                                                            \
#theirs "." #field, offsetof(aqkfd_##ours, field),                         \
        offsetof(struct kfd_ioctl_##theirs, field),                            \
        sizeof(((aqkfd_##ours *)NULL)->field),                                 \
        sizeof(((struct kfd_ioctl_##theirs *)NULL)->field)                     \
  }
#define FIELD(of, field) SAME(of, of, field)

static const struct {
  const char *name;
  size_t ours, theirs, our_size, their_size;
} fields[] = {
    FIELD(get_version_args, minor_version),
    FIELD(create_queue_args, ring_base_address),
    FIELD(create_queue_args, write_pointer_address),
    FIELD(create_queue_args, read_pointer_address),
    FIELD(create_queue_args, doorbell_offset),
    FIELD(create_queue_args, ring_size),
    FIELD(create_queue_args, gpu_id),
    FIELD(create_queue_args, queue_type),
    FIELD(create_queue_args, queue_percentage),
    FIELD(create_queue_args, queue_priority),
    FIELD(create_queue_args, queue_id),
    FIELD(create_queue_args, eop_buffer_address),
    FIELD(create_queue_args, ctx_save_restore_address),
    FIELD(create_queue_args, ctl_stack_size),
    FIELD(destroy_queue_args, queue_id),
    FIELD(update_queue_args, ring_base_address),
    FIELD(update_queue_args, queue_id),
    FIELD(update_queue_args, ring_size),
    FIELD(update_queue_args, queue_percentage),
    FIELD(update_queue_args, queue_priority),
    FIELD(set_cu_mask_args, queue_id),
    FIELD(set_cu_mask_args, num_cu_mask),
    FIELD(set_cu_mask_args, cu_mask_ptr),
    FIELD(alloc_queue_gws_args, queue_id),
    FIELD(alloc_queue_gws_args, num_gws),
    FIELD(alloc_queue_gws_args, first_gws),
    FIELD(set_memory_policy_args, alternate_aperture_base),
    FIELD(set_memory_policy_args, gpu_id),
    FIELD(set_memory_policy_args, default_policy),
    FIELD(set_memory_policy_args, alternate_policy),
    FIELD(get_clock_counters_args, gpu_clock_counter),
    FIELD(get_clock_counters_args, cpu_clock_counter),
    FIELD(get_clock_counters_args, system_clock_counter),
    FIELD(get_clock_counters_args, system_clock_freq),
    FIELD(get_clock_counters_args, gpu_id),
    FIELD(get_process_apertures_args, process_apertures),
    FIELD(get_process_apertures_args, num_of_nodes),
    FIELD(get_process_apertures_new_args, kfd_process_device_apertures_ptr),
    FIELD(get_process_apertures_new_args, num_of_nodes),
    FIELD(set_scratch_backing_va_args, gpu_id),
    FIELD(get_tile_config_args, num_tile_configs),
    FIELD(get_tile_config_args, gpu_id),
    FIELD(get_tile_config_args, gb_addr_config),
    FIELD(set_trap_handler_args, tba_addr),
    FIELD(set_trap_handler_args, gpu_id),
    FIELD(acquire_vm_args, drm_fd),
    FIELD(acquire_vm_args, gpu_id),
    FIELD(set_xnack_mode_args, xnack_enabled),
    FIELD(alloc_memory_of_gpu_args, va_addr),
    FIELD(alloc_memory_of_gpu_args, size),
    FIELD(alloc_memory_of_gpu_args, handle),
    FIELD(alloc_memory_of_gpu_args, mmap_offset),
    FIELD(alloc_memory_of_gpu_args, gpu_id),
    FIELD(alloc_memory_of_gpu_args, flags),
    FIELD(free_memory_of_gpu_args, handle),
    FIELD(map_memory_to_gpu_args, handle),
    FIELD(map_memory_to_gpu_args, device_ids_array_ptr),
    FIELD(map_memory_to_gpu_args, n_devices),
    FIELD(map_memory_to_gpu_args, n_success),
    SAME(map_memory_to_gpu_args, unmap_memory_from_gpu_args, n_success),
    FIELD(get_available_memory_args, available),
    FIELD(get_available_memory_args, gpu_id),
    FIELD(get_dmabuf_info_args, size),
    FIELD(get_dmabuf_info_args, metadata_size),
    FIELD(get_dmabuf_info_args, gpu_id),
    FIELD(get_dmabuf_info_args, flags),
    FIELD(get_dmabuf_info_args, dmabuf_fd),
    FIELD(import_dmabuf_args, va_addr),
    FIELD(import_dmabuf_args, handle),
    FIELD(import_dmabuf_args, gpu_id),
    FIELD(import_dmabuf_args, dmabuf_fd),
    FIELD(create_event_args, event_page_offset),
    FIELD(create_event_args, event_trigger_data),
    FIELD(create_event_args, event_type),
    FIELD(create_event_args, auto_reset),
    FIELD(create_event_args, event_id),
    FIELD(create_event_args, event_slot_index),
    SAME(event_args, destroy_event_args, event_id),
    SAME(event_args, set_event_args, event_id),
    SAME(event_args, reset_event_args, event_id),
    FIELD(wait_events_args, events_ptr),
    FIELD(wait_events_args, num_events),
    FIELD(wait_events_args, wait_for_all),
    FIELD(wait_events_args, timeout),
    FIELD(wait_events_args, wait_result),
    FIELD(svm_args, start_addr),
    FIELD(svm_args, size),
    FIELD(svm_args, op),
    FIELD(svm_args, nattr),
};

START_TEST(arguments_have_the_kernels_layout)
{
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    ck_assert_msg(fields[i].ours == fields[i].theirs, "%s at %zu, not %zu",
                  fields[i].name, fields[i].ours, fields[i].theirs);
    ck_assert_msg(fields[i].our_size == fields[i].their_size,
                  "%s has %zu bytes, not %zu", fields[i].name,
                  fields[i].our_size, fields[i].their_size);
  }
  ck_assert_uint_eq(sizeof(aqkfd_event_data), sizeof(struct kfd_event_data));
  ck_assert_uint_eq(offsetof(aqkfd_event_data, event_id),
                    offsetof(struct kfd_event_data, event_id));
  ck_assert_uint_eq(offsetof(aqkfd_memory_exception, va),
                    offsetof(struct kfd_hsa_memory_exception_data, va));
  ck_assert_uint_eq(sizeof(aqkfd_apertures),
                    sizeof(struct kfd_process_device_apertures));
  ck_assert_uint_eq(offsetof(aqkfd_apertures, gpu_id),
                    offsetof(struct kfd_process_device_apertures, gpu_id));
}
END_TEST

/* The kernel's header shifts an int by 31 places. */
AQ_STATIC_ASSERT(AQKFD_MEMORY_WRITABLE ==
                     (uint32_t)KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE,
                 "the kernel's");

START_TEST(constants_are_the_kernels)
{
  ck_assert_uint_eq(AQKFD_MEMORY_VRAM, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
  ck_assert_uint_eq(AQKFD_MEMORY_GTT, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
  ck_assert_uint_eq(AQKFD_MEMORY_USERPTR, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR);
  ck_assert_uint_eq(AQKFD_MEMORY_DOORBELL, KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL);
  ck_assert_uint_eq(AQKFD_MEMORY_REGISTERS, KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP);
  ck_assert_uint_eq(AQKFD_MEMORY_EXECUTABLE,
                    KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE);
  ck_assert_uint_eq(AQKFD_MEMORY_PUBLIC, KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC);
  ck_assert_uint_eq(AQKFD_MEMORY_COHERENT, KFD_IOC_ALLOC_MEM_FLAGS_COHERENT);
  ck_assert_uint_eq(AQKFD_MEMORY_UNCACHED, KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED);
  ck_assert_uint_eq(AQKFD_QUEUE_AQL, KFD_IOC_QUEUE_TYPE_COMPUTE_AQL);
  ck_assert_uint_eq(AQKFD_QUEUE_SDMA, KFD_IOC_QUEUE_TYPE_SDMA);
  ck_assert_uint_eq(AQKFD_QUEUE_SDMA_XGMI, KFD_IOC_QUEUE_TYPE_SDMA_XGMI);
  ck_assert_uint_eq(AQKFD_QUEUE_PERCENTAGE_MAX, KFD_MAX_QUEUE_PERCENTAGE);
  ck_assert_uint_eq(AQKFD_QUEUE_PRIORITY_MAX, KFD_MAX_QUEUE_PRIORITY);
  ck_assert_uint_eq(AQKFD_EVENT_SIGNAL, KFD_IOC_EVENT_SIGNAL);
  ck_assert_uint_eq(AQKFD_EVENT_HARDWARE, KFD_IOC_EVENT_HW_EXCEPTION);
  ck_assert_uint_eq(offsetof(aqkfd_hardware_exception, gpu_id),
                    offsetof(struct kfd_hsa_hw_exception_data, gpu_id));
  ck_assert_uint_eq(AQKFD_EVENT_DEBUG, KFD_IOC_EVENT_DEBUG_EVENT);
  ck_assert_uint_eq(AQKFD_EVENT_MEMORY, KFD_IOC_EVENT_MEMORY);
  ck_assert_uint_eq(AQKFD_WAIT_COMPLETE, KFD_IOC_WAIT_RESULT_COMPLETE);
  ck_assert_uint_eq(AQKFD_WAIT_TIMEOUT, KFD_IOC_WAIT_RESULT_TIMEOUT);
  ck_assert_uint_eq(AQKFD_WAIT_FAIL, KFD_IOC_WAIT_RESULT_FAIL);
  ck_assert_uint_eq(AQKFD_SVM_SET, KFD_IOCTL_SVM_OP_SET_ATTR);
  ck_assert_uint_eq(AQKFD_SVM_GET, KFD_IOCTL_SVM_OP_GET_ATTR);
  ck_assert_uint_eq(AQKFD_SVM_GRANULARITY, KFD_IOCTL_SVM_ATTR_GRANULARITY);
  ck_assert_uint_eq(AQKFD_SVM_IN_PLACE, KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE);
  ck_assert_uint_eq(AQKFD_SVM_FLAG_READ_ONLY, KFD_IOCTL_SVM_FLAG_GPU_RO);
  ck_assert_uint_eq(AQKFD_SVM_FLAG_EXECUTABLE, KFD_IOCTL_SVM_FLAG_GPU_EXEC);
}
END_TEST
#else
#define HEADER_TEST(name)                                                      \
  START_TEST(name)                                                             \
  {                                                                            \
    aqtest_skip("linux/kfd_ioctl.h is not installed");                         \
  }                                                                            \
  END_TEST
HEADER_TEST(every_call_has_the_kernels_number_size_and_direction)
HEADER_TEST(refused_calls_answer_as_the_kernels_driver)
HEADER_TEST(arguments_have_the_kernels_layout)
HEADER_TEST(constants_are_the_kernels)
#endif

/* ---- copying ---- */

START_TEST(a_call_that_fails_answers_all_the_same)
{
  client c;
  client_open(&c, "mi210", NULL);
  /* The devices that were mapped before the one that is not there. */
  const client_block block =
      client_allocate(&c, 4096, AQKFD_MEMORY_GTT | AQKFD_MEMORY_WRITABLE);
  uint32_t devices[] = {2, 9};
  aqkfd_map_memory_to_gpu_args map = {.handle = block.handle,
                                      .device_ids_array_ptr =
                                          (uintptr_t)devices,
                                      .n_devices = 2};
  ck_assert_int_eq(CALL(&c, 0x18, &map), -EINVAL);
  ck_assert_uint_eq(map.n_success, 1);
  /* A wait for an event that is not there has failed. */
  aqkfd_event_data data = {.event_id = 77};
  aqkfd_wait_events_args wait = {.events_ptr = (uintptr_t)&data,
                                 .num_events = 1};
  ck_assert_int_eq(CALL(&c, 0x0c, &wait), -EINVAL);
  ck_assert_uint_eq(wait.wait_result, AQKFD_WAIT_FAIL);
  wait = (aqkfd_wait_events_args){.events_ptr = 8, .num_events = 1};
  ck_assert_int_eq(CALL(&c, 0x0c, &wait), -EFAULT);
  ck_assert_uint_eq(wait.wait_result, AQKFD_WAIT_FAIL);
  client_close(&c);
}
END_TEST

START_TEST(arguments_that_are_only_read_may_be_read_only)
{
  client c;
  client_open(&c, "mi210", NULL);
  const uint32_t event = client_event(&c, AQKFD_EVENT_SIGNAL, true);
  aqkfd_event_args *args = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  args->event_id = event;
  ck_assert_int_eq(mprotect(args, 4096, PROT_READ), 0);
  ck_assert_int_eq(CALL(&c, 0x0a, args), 0); /* SET_EVENT */
  ck_assert_int_eq(client_wait(&c, event, 0, NULL), AQKFD_WAIT_COMPLETE);
  ck_assert_int_eq(CALL(&c, 0x03, (aqkfd_destroy_queue_args *)(void *)args),
                   -EFAULT); /* which the kernel declares as answering */
  munmap(args, 4096);
  client_close(&c);
}
END_TEST

START_TEST(arguments_may_be_shorter_or_longer_than_ours)
{
  client c;
  uint32_t version[4] = {7, 7, 7, 7};
  client_open(&c, "mi210", NULL);
  ck_assert_int_eq(client_call(&c, 0x01, 4, version), 0);
  ck_assert_uint_eq(version[0], AQKFD_MAJOR);
  ck_assert_uint_eq(version[1], 7);
  ck_assert_int_eq(client_call(&c, 0x01, 12, version), 0);
  ck_assert_uint_eq(version[1], AQKFD_MINOR);
  ck_assert_uint_eq(version[2], 0); /* an answer, all of it */
  ck_assert_uint_eq(version[3], 7);
  /* Of a call that does both, bytes that are not known stay. */
  struct {
    aqkfd_get_available_memory_args known;
    uint64_t more;
  } memory = {.known.gpu_id = 2, .more = 7};
  ck_assert_int_eq(CALL(&c, 0x23, &memory), 0);
  ck_assert_uint_gt(memory.known.available, 0);
  ck_assert_uint_eq(memory.more, 7);
  client_close(&c);
}
END_TEST

START_TEST(a_text_of_the_render_node_goes_nowhere_else)
{
  enum { VERSION = _IOC(_IOC_READ | _IOC_WRITE, 'd', 0, 64) };
  client c;
  char name[4] = "....";
  client_open(&c, "mi210", NULL);
  aqkfd_render_version args = {.name = {3, name}};
  ck_assert_int_eq(aqkfd_render_ioctl(c.process, 0, VERSION, &args), 0);
  ck_assert_int_eq(memcmp(name, "amd.", 4), 0); /* as far as there is room */
  ck_assert_uint_eq(args.name.size, strlen("amdgpu"));
  args = (aqkfd_render_version){.date = {64, (char *)8}};
  ck_assert_int_eq(aqkfd_render_ioctl(c.process, 0, VERSION, &args), -EFAULT);
  args = (aqkfd_render_version){.description = {0, (char *)8}};
  ck_assert_int_eq(aqkfd_render_ioctl(c.process, 0, VERSION, &args), 0);
  client_close(&c);
}
END_TEST

START_TEST(unknown_calls_and_pointers_are_refused)
{
  client c;
  uint64_t nothing[8] = {0};
  client_open(&c, "mi210", NULL);
  ck_assert_int_eq(client_call(&c, 0x7f, 8, nothing), -ENOTTY);
  ck_assert_int_eq(client_call(&c, 0x00, 8, nothing), -ENOTTY);
  ck_assert_int_eq(
      aqkfd_ioctl(c.process, _IOC(_IOC_READ, 'K', 1, 8), (void *)8), -EFAULT);
  client_close(&c);
}
END_TEST

AQ_TEST_MAIN("dropin/kfd/abi",
             every_call_has_the_kernels_number_size_and_direction,
             refused_calls_answer_as_the_kernels_driver,
             arguments_have_the_kernels_layout, constants_are_the_kernels,
             a_call_that_fails_answers_all_the_same,
             arguments_that_are_only_read_may_be_read_only,
             arguments_may_be_shorter_or_longer_than_ours,
             a_text_of_the_render_node_goes_nowhere_else,
             unknown_calls_and_pointers_are_refused)
