/* SPDX-License-Identifier: MIT */
#include "dropin/kfd/client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "gpu/codeobj/code_object.h"

enum { GPU = 2 /* the id of device 0 */ };

const uint32_t client_store_42[CLIENT_STORE_WORDS] = {
    0xc0060080, 0x00000000, /* s_load_dwordx2 s[2:3], s[0:1], 0x0 */
    0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
    0x7e000280,             /* v_mov_b32 v0, 0 */
    0x7e0202aa,             /* v_mov_b32 v1, 42 */
    0xdc708000, 0x00020100, /* global_store_dword v0, v1, s[2:3] */
    0xbf810000,             /* s_endpgm */
};

static void line_take(const char *text, void *user)
{
  client *c = user;
  __atomic_store_n(&c->held, true, __ATOMIC_RELEASE);
  pthread_mutex_lock(&c->hold);
  const size_t length = strlen(c->lines);
  snprintf(c->lines + length, sizeof c->lines - length, "%s\n", text);
  pthread_mutex_unlock(&c->hold);
}

/* The process is locked. */
static void memory_take(const aq_allocation *memory, aqkfd_memory_change change,
                        void *user)
{
  client *c = user;
  const size_t length = strlen(c->memory);
  (void)memory;
  if (length + 1 < sizeof c->memory)
    c->memory[length] = "frg"[change];
}

bool client_was_told(client *c, const char *text)
{
  pthread_mutex_lock(&c->hold);
  const bool told = strstr(c->lines, text) != NULL;
  pthread_mutex_unlock(&c->hold);
  return told;
}

void client_open(client *c, const char *device, aq_record_sink *records)
{
  aq_diag diag = AQ_DIAG_INIT;
  *c = (client){.hold = PTHREAD_MUTEX_INITIALIZER};
  ck_assert_status(aq_wave_machine_create(&c->waves, &diag), AQ_OK, &diag);
  const aqkfd_options options = {.device = device,
                                 .records = records,
                                 .executor = aq_wave_machine_executor(c->waves),
                                 .memory = memory_take,
                                 .line = line_take,
                                 .user = c};
  ck_assert_status(aqkfd_create(&options, &c->driver, &diag), AQ_OK, &diag);
  ck_assert_status(aqkfd_process_open(c->driver, &c->process, &diag), AQ_OK,
                   &diag);
}

void client_close(client *c)
{
  aqkfd_process_close(c->process);
  aqkfd_destroy(c->driver);
  aq_wave_machine_destroy(c->waves);
}

void client_open_door(client *c)
{
  *c = (client){.hold = PTHREAD_MUTEX_INITIALIZER,
                .file = open("/dev/kfd", O_RDWR | O_CLOEXEC)};
  ck_assert_int_ge(c->file, 0);
}

int client_call(client *c, unsigned number, size_t size, void *arguments)
{
  const unsigned long request = _IOC(_IOC_READ | _IOC_WRITE, 'K', number, size);
  if (c->process)
    return aqkfd_ioctl(c->process, request, arguments);
  if (c->ioctl)
    return c->ioctl(request, arguments) == 0 ? 0 : -errno;
  return ioctl(c->file, request, arguments) == 0 ? 0 : -errno;
}

static int file_of(const client *c)
{
  return c->process ? aqkfd_process_file(c->process) : c->file;
}

int client_map(client *c, uint64_t handle, bool map)
{
  uint32_t devices[] = {GPU};
  aqkfd_map_memory_to_gpu_args args = {.handle = handle,
                                       .device_ids_array_ptr =
                                           (uintptr_t)devices,
                                       .n_devices = 1};
  return CALL(c, map ? 0x18 : 0x19, &args);
}

uint64_t client_available(client *c)
{
  aqkfd_get_available_memory_args left = {.gpu_id = GPU};
  ck_assert_int_eq(CALL(c, 0x23, &left), 0);
  return left.available;
}

client_block client_allocate(client *c, uint64_t size, uint32_t flags)
{
  client_block block = {.size = size};
  block.at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(block.at, MAP_FAILED);
  aqkfd_alloc_memory_of_gpu_args args = {.va_addr = (uintptr_t)block.at,
                                         .size = size,
                                         .gpu_id = GPU,
                                         .flags = flags};
  ck_assert_int_eq(CALL(c, 0x16, &args), 0);
  block.handle = args.handle;
  ck_assert_ptr_eq(mmap(block.at, size, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_FIXED, file_of(c),
                        (off_t)args.mmap_offset),
                   block.at);
  ck_assert_int_eq(client_map(c, block.handle, true), 0);
  return block;
}

uint32_t client_event(client *c, uint32_t type, bool auto_reset)
{
  aqkfd_create_event_args args = {.event_type = type, .auto_reset = auto_reset};
  ck_assert_int_eq(CALL(c, 0x08, &args), 0);
  return args.event_id;
}

int client_wait(client *c, uint32_t id, uint32_t ms, aqkfd_event_data *data)
{
  aqkfd_event_data own = {.event_id = id};
  aqkfd_wait_events_args args = {.num_events = 1, .timeout = ms};
  if (!data)
    data = &own;
  data->event_id = id;
  args.events_ptr = (uintptr_t)data;
  const int result = CALL(c, 0x0c, &args);
  return result ? result : (int)args.wait_result;
}

client_queue client_queue_create(client *c)
{
  enum { RING = CLIENT_PACKETS * AQ_PACKET_SIZE };
  const client_block block =
      client_allocate(c, 3 * 4096, AQKFD_MEMORY_GTT | AQKFD_MEMORY_WRITABLE);
  client_queue queue = {.packets = (void *)block.at,
                        .abi = (void *)(block.at + 2 * 4096)};
  for (unsigned i = 0; i < CLIENT_PACKETS; i++)
    queue.packets[i].header = AQ_PACKET_INVALID;
  aqkfd_create_queue_args args = {
      .ring_base_address = (uintptr_t)queue.packets,
      .ring_size = RING,
      .gpu_id = GPU,
      .queue_type = AQKFD_QUEUE_AQL,
      .queue_percentage = 100,
      .queue_priority = 7,
      .read_pointer_address = (uintptr_t)&queue.abi->read_dispatch_id,
      .write_pointer_address = (uintptr_t)&queue.abi->write_dispatch_id};
  ck_assert_int_eq(CALL(c, 0x02, &args), 0);
  queue.id = args.queue_id;
  const uint64_t page = args.doorbell_offset & ~UINT64_C(8191);
  char *at = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file_of(c),
                  (off_t)page);
  ck_assert_ptr_ne(at, MAP_FAILED);
  queue.doorbell = (void *)(at + (args.doorbell_offset - page));
  return queue;
}

aq_amd_signal *client_signal(client *c, const client_block *in, size_t at,
                             uint32_t event)
{
  aq_amd_signal *signal = (void *)(in->at + at);
  uint64_t *mailbox = (void *)(in->at + at + sizeof *signal);
  (void)c;
  *signal = (aq_amd_signal){.kind = AQ_AMD_SIGNAL_USER,
                            .value = 1,
                            .mailbox = (uintptr_t)mailbox,
                            .event_id = event};
  return signal;
}

uint64_t client_kernel(const client_block *in, const uint32_t *words,
                       size_t count)
{
  enum {
    CODE = 256,
    RSRC1 = 0x00af0000, /* float modes as compilers set them */
    ARGUMENTS = 2 << 1, /* of rsrc2: two user registers */
    KERNARG = 1 << 3    /* they are the arguments' address */
  };
  aq_kernel_descriptor *d = (void *)in->at;
  *d = (aq_kernel_descriptor){.kernarg_size = 8,
                              .entry_offset = CODE,
                              .rsrc1 = RSRC1,
                              .rsrc2 = ARGUMENTS,
                              .properties = KERNARG};
  memcpy(in->at + CODE, words, count * sizeof *words);
  return (uintptr_t)d;
}

void client_dispatch(client_queue *queue, uint64_t object, void *kernarg,
                     aq_amd_signal *completion)
{
  enum { SYSTEM = 2 };
  const uint64_t id =
      __atomic_fetch_add(&queue->abi->write_dispatch_id, 1, __ATOMIC_RELAXED);
  aq_packet *slot = &queue->packets[id % CLIENT_PACKETS];
  aq_kernel_packet packet = {.workgroup_size = {1, 1, 1},
                             .grid_size = {1, 1, 1},
                             .kernel_object = object,
                             .kernarg_address = (uintptr_t)kernarg,
                             .completion_signal = {(uintptr_t)completion}};
  packet.header = AQ_PACKET_INVALID;
  memcpy(slot, &packet, sizeof packet);
  const uint32_t header =
      AQ_PACKET_KERNEL_DISPATCH | SYSTEM << 9 | SYSTEM << 11;
  __atomic_store_n(&slot->header_setup, header | 1u << 16, __ATOMIC_RELEASE);
  __atomic_store_n(queue->doorbell, id, __ATOMIC_RELEASE);
}
