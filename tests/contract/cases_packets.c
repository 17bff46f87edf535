/* SPDX-License-Identifier: MIT */
#include "contract/contract.h"

#include <string.h>

/* A packet written byte by byte, as a client without our headers would. */
typedef struct raw {
  unsigned char bytes[64];
} raw;

static void raw_set(raw *r, size_t offset, const void *from, size_t size)
{
  memcpy(r->bytes + offset, from, size);
}

static void raw_set16(raw *r, size_t offset, uint16_t value)
{
  raw_set(r, offset, &value, sizeof value);
}

static void raw_set32(raw *r, size_t offset, uint32_t value)
{
  raw_set(r, offset, &value, sizeof value);
}

static void raw_set64(raw *r, size_t offset, uint64_t value)
{
  raw_set(r, offset, &value, sizeof value);
}

static void raw_submit(contract *c, aq_ring *queue, const raw *r)
{
  aq_packet packet;
  memcpy(&packet, r->bytes, sizeof packet);
  contract_submit(c, queue, &packet);
}

static raw raw_dispatch(uint64_t kernel, uint16_t header, uint64_t tag,
                        aq_signal completion)
{
  raw r = {{0}};
  raw_set16(&r, 0, header);
  raw_set16(&r, 2, 1);
  raw_set16(&r, 4, 64);
  raw_set16(&r, 6, 1);
  raw_set16(&r, 8, 1);
  raw_set32(&r, 12, 128);
  raw_set32(&r, 16, 1);
  raw_set32(&r, 20, 1);
  raw_set64(&r, 32, kernel);
  raw_set64(&r, 40, tag);
  raw_set64(&r, 56, completion.handle);
  return r;
}

static aq_packet seen; /* by packet_keep */

static void packet_keep(const aq_kernel_call *call)
{
  memcpy(&seen, call->packet, sizeof seen);
}

static void kernels_get_their_packet(contract *c)
{
  aq_kernel_desc desc = {.name = "keep", .function = packet_keep};
  uint64_t kernel = rig_kernel_with(&c->rig, &desc);
  aq_signal done = contract_signal(c, 1);
  raw r = raw_dispatch(kernel, 0x1502, 0x123456789abcdef0, done);
  raw_set16(&r, 2, 3);
  raw_set32(&r, 16, 5);
  raw_set32(&r, 20, 6);
  raw_set32(&r, 24, 32);
  raw_set32(&r, 28, 16);
  raw_submit(c, contract_queue(c), &r);
  contract_wait_zero(c, done);
  ck_assert_int_eq(memcmp(&seen, r.bytes, sizeof seen), 0);
  ck_assert_uint_eq(seen.kernel.workgroup_size[0], 64);
  ck_assert_uint_eq(seen.kernel.grid_size[2], 6);
  ck_assert_uint_eq(seen.kernel.private_segment_size, 32);
  ck_assert_uint_eq(seen.kernel.group_segment_size, 16);
}

static void header_bits_are_where_they_belong(contract *c)
{
  ck_assert_uint_eq(aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 0, 0, 0), 2);
  ck_assert_uint_eq(aq_packet_header(AQ_PACKET_VENDOR, 1, 0, 0), 0x100);
  ck_assert_uint_eq(aq_packet_header(AQ_PACKET_VENDOR, 0, AQ_SCOPE_SYSTEM, 0),
                    0x400);
  ck_assert_uint_eq(aq_packet_header(AQ_PACKET_VENDOR, 0, 0, AQ_SCOPE_SYSTEM),
                    0x1000);
  uint64_t kernel = contract_kernel(c, 0);
  aq_ring *queue = contract_queue(c);
  /* Every barrier bit and scope, with the type in the low byte. */
  for (unsigned bits = 0; bits < 32; bits++) {
    unsigned acquire = bits >> 1 & 3, release = bits >> 3 & 3;
    if (acquire > 2 || release > 2)
      continue;
    aq_signal done = contract_signal(c, 1);
    raw r = raw_dispatch(kernel, (uint16_t)(2 | bits << 8), bits, done);
    raw_submit(c, queue, &r);
    contract_wait_zero(c, done);
    ck_assert_uint_eq(c->ran[c->ran_count - 1], bits);
  }
  ck_assert_uint_eq(c->ran_count, 18);
}

static void types_have_their_numbers(contract *c)
{
  uint64_t kernel = contract_kernel(c, 0);
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_signal zero = contract_signal(c, 0), done = contract_signal(c, 3);
  raw dispatch = raw_dispatch(kernel, 2, 1, done);
  raw_submit(c, queue, &dispatch);
  for (uint16_t type = 3; type <= 5; type += 2) {
    raw barrier = {{0}};
    raw_set16(&barrier, 0, type);
    raw_set64(&barrier, 8 + 8 * (type == 5), zero.handle);
    raw_set64(&barrier, 56, done.handle);
    raw_submit(c, queue, &barrier);
  }
  contract_wait_zero(c, done);
  raw invalid = {{1}};
  raw_submit(c, queue, &invalid);
  contract_settle(c);
  ck_assert_uint_eq(c->error_count, 0);
  ck_assert_uint_lt(aq_ring_read_index(queue), 4);
}

static void scopes_are_none_agent_system(contract *c)
{
  ck_assert_uint_eq(AQ_SCOPE_NONE, 0);
  ck_assert_uint_eq(AQ_SCOPE_AGENT, 1);
  ck_assert_uint_eq(AQ_SCOPE_SYSTEM, 2);
  aq_ring *queue = contract_queue(c);
  for (unsigned acquire = 0; acquire <= 2; acquire++)
    for (unsigned release = 0; release <= 2; release++) {
      aq_signal done = contract_signal(c, 1);
      raw barrier = {{0}};
      raw_set16(&barrier, 0, (uint16_t)(3 | acquire << 9 | release << 11));
      raw_set64(&barrier, 56, done.handle);
      raw_submit(c, queue, &barrier);
      contract_wait_zero(c, done);
    }
}

static void completion_lies_at_56(contract *c)
{
  uint64_t kernel = contract_kernel(c, 0);
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_signal zero = contract_signal(c, 0);
  for (uint16_t type = 2; type <= 5; type++) {
    if (type == AQ_PACKET_AGENT_DISPATCH)
      continue;
    for (int with = 0; with < 2; with++) {
      aq_signal done = contract_signal(c, 1);
      raw r = raw_dispatch(kernel, type, 0, rig_none);
      if (type != AQ_PACKET_KERNEL_DISPATCH) {
        memset(r.bytes + 2, 0, 62);
        raw_set64(&r, 8, zero.handle);
      }
      raw_set64(&r, 56, with ? done.handle : 0);
      raw_submit(c, queue, &r);
      contract_settle(c);
      ck_assert_int_eq(contract_value(c, done), !with);
    }
  }
  ck_assert_uint_eq(aq_ring_read_index(queue), 6);
}

static void empty_dispatches_complete(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_ring *queue = contract_queue_sized(c, 64);
  for (int i = 0; i < 6; i++) {
    aq_signal done = contract_signal(c, 1);
    aq_packet packet = contract_dispatch(kernel, 1, false, done);
    packet.setup = 3;
    if (i < 3)
      packet.kernel.workgroup_size[i] = 0;
    else
      packet.kernel.grid_size[i - 3] = 0;
    contract_submit(c, queue, &packet);
    contract_wait_zero(c, done);
  }
  contract_check_ran(c, "");
  ck_assert_uint_eq(c->error_count, 0);
}

static void unused_dimensions_do_not_count(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_signal done = contract_signal(c, 1);
  aq_packet packet = contract_dispatch(kernel, 8, false, done);
  packet.setup = 1;
  packet.kernel.workgroup_size[1] = packet.kernel.workgroup_size[2] = 0;
  packet.kernel.grid_size[1] = packet.kernel.grid_size[2] = 0;
  contract_submit(c, contract_queue(c), &packet);
  contract_wait_zero(c, done);
  contract_check_ran(c, "8");
}

static void partial_workgroups_run(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_signal done = contract_signal(c, 1);
  aq_packet packet = contract_dispatch(kernel, 8, false, done);
  packet.kernel.workgroup_size[0] = 256;
  packet.kernel.grid_size[0] = 3;
  contract_submit(c, contract_queue(c), &packet);
  contract_wait_zero(c, done);
  contract_check_ran(c, "8");
}

static void over_specified_sizes_are_legal(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_signal done = contract_signal(c, 1);
  aq_packet packet = contract_dispatch(kernel, 8, false, done);
  packet.kernel.group_segment_size = 1024;
  packet.kernel.private_segment_size = 4096;
  contract_submit(c, contract_queue(c), &packet);
  contract_wait_zero(c, done);
  contract_check_ran(c, "8");
}

const contract_case contract_packets[] = {
    {"a host function gets its packet bit by bit", "2, 3", AQ_CAP_HOST_KERNELS,
     kernels_get_their_packet},
    {"header bits: type 0-7, barrier 8, acquire 9-10, release 11-12", "2",
     AQ_CAP_HOST_KERNELS, header_bits_are_where_they_belong},
    {"types 2, 3 and 5 are served, 1 is never consumed", "3",
     AQ_CAP_HOST_KERNELS, types_have_their_numbers},
    {"fence scopes are 0 none, 1 agent, 2 system", "4", 0,
     scopes_are_none_agent_system},
    {"the completion signal lies at offset 56, and 0 is none", "5",
     AQ_CAP_HOST_KERNELS, completion_lies_at_56},
    {"an empty grid or workgroup completes without work", "64",
     AQ_CAP_HOST_KERNELS, empty_dispatches_complete},
    {"unused dimensions may hold anything", "64", AQ_CAP_HOST_KERNELS,
     unused_dimensions_do_not_count},
    {"a grid smaller than its workgroup is one partial workgroup", "64",
     AQ_CAP_HOST_KERNELS, partial_workgroups_run},
    {"more group and private memory than the kernel needs is legal", "65",
     AQ_CAP_HOST_KERNELS, over_specified_sizes_are_legal},
    {NULL}};
