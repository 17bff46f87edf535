/* SPDX-License-Identifier: MIT */
/* Kernels whose work-items work together; test_groups.c has the plain loops
 * that define their results. LANES: of a wave; GFX9, RDNA: the target's family.
 */
#include "kernels.h"

#define LDS    __attribute__((address_space(3)))
#define SHARED static __attribute__((loader_uninitialized)) LDS
#define LOCAL  (__builtin_amdgcn_workitem_id_x())
#define ITEMS_OF_GROUP                                                         \
  const u32 i = work_item(), t = LOCAL;                                        \
  (void)n, (void)b, (void)t
#define NOINLINE __attribute__((noinline))

static inline void barrier(void)
{
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/* ---- LDS ---- */

SHARED u64 words[256];
SHARED unsigned char bytes[1024];
SHARED u32 counters[32];
SHARED u64 wide_counters[8];
SHARED float floats[2];
SHARED double doubles[2];

KERNEL(g_reduce)
{
  ITEMS_OF_GROUP;
  words[t] = a[i];
  for (u32 half = 128; half; half /= 2) {
    barrier();
    if (t < half)
      words[t] += words[t + half] * 3;
  }
  barrier();
  out[i] = words[0] + b[i];
}

/* Tiles: rows of 16, one word for 16 lanes, pairs, strides, lanes that are off.
 */
SHARED u32 tile[1024];

KERNEL(g_tile)
{
  ITEMS_OF_GROUP;
  const u32 x = t & 15, y = t >> 4;
  tile[t] = (u32)a[i];
  tile[t + 256] = (u32)b[i];
  *(LDS u64 *)&tile[512 + 2 * t] = a[i] ^ b[i];
  barrier();
  u64 r = 0;
  for (u32 k = 0; k < 16; k++)
    r = r * 31 + tile[16 * y + k] * (u64)tile[256 + 16 * k + x];
  r = r * 31 + *(const LDS u64 *)&tile[512 + 2 * (255 - t)];
  if (t % 3)
    r = r * 31 + tile[t * 2] + *(const LDS u64 *)&tile[512 + 2 * (t & ~3u)];
  out[i] = r;
}

/* Each workgroup waits for the one before it, after some work. */
KERNEL(g_chain)
{
  ITEMS_OF_GROUP;
  const u32 group = __builtin_amdgcn_workgroup_id_x();
  u64 x = a[i & 1023] + i;
  for (u32 k = 0; k < 32; k++)
    x = x * 6364136223846793005ull + k;
  if (t == 0)
    while (__atomic_load_n(&out[0], __ATOMIC_ACQUIRE) != group)
      __builtin_amdgcn_s_sleep(1);
  barrier();
  out[i + 1] = x;
  barrier();
  if (t == 0)
    __atomic_store_n(&out[0], (u64)group + 1, __ATOMIC_RELEASE);
}

/* Every other workgroup stores numbers of two equal words, the ones between
 * count loads of unequal ones. */
KERNEL(g_whole)
{
  ITEMS_OF_GROUP;
  const u32 group = __builtin_amdgcn_workgroup_id_x();
  u64 torn = 0;
  for (u64 k = 0; k < 2000; k++) {
    if (group % 2 == 0) {
      __atomic_store_n(&out[t + 1], k << 32 | k, __ATOMIC_RELAXED);
    } else {
      const u64 x = __atomic_load_n(&out[t + 1], __ATOMIC_RELAXED);
      torn += (u32)x != x >> 32;
    }
  }
  if (torn)
    __atomic_fetch_add(&out[0], torn, __ATOMIC_RELAXED);
}

/* The first wave arrives, and then waits until the others are past the barrier.
 * One wave alone is the first to arrive. */
#if defined(__GFX12__)
KERNEL(g_split)
{
  ITEMS_OF_GROUP;
  const u32 wave = (u32)__builtin_amdgcn_readfirstlane((i32)(t / LANES));
  if (t < 2)
    counters[t] = 0;
  barrier();
  words[t] = a[i];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  const u32 first = __builtin_amdgcn_s_barrier_signal_isfirst(-1);
  while (wave == 0 &&
         __atomic_load_n(&counters[0], __ATOMIC_RELAXED) != 256 / LANES - 1)
    __builtin_amdgcn_s_sleep(1);
  __builtin_amdgcn_s_barrier_wait(-1);
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  if (wave && t % LANES == 0)
    __atomic_fetch_add(&counters[0], 1, __ATOMIC_RELAXED);
  if (t % LANES == 0)
    __atomic_fetch_add(&counters[1], first, __ATOMIC_RELAXED);
  const u64 other = words[255 - t];
  barrier();
  out[i] = other + counters[1];
}
#endif

/* Its constant is looked for in the code. */
KERNEL(g_constant)
{
  ITEMS_OF_GROUP;
  (void)a;
  out[i] = 0x5a5a1234;
}

KERNEL(g_narrow)
{
  ITEMS_OF_GROUP;
  const u64 x = a[i];
  for (u32 k = 0; k < 4; k++)
    bytes[(t + 256 * k) ^ 5] = (unsigned char)(x >> 8 * k);
  barrier();
  const LDS short *halves = (const LDS short *)bytes;
  const LDS signed char *chars = (const LDS signed char *)bytes;
  u64 r = bytes[1023 - t] + (u64)(i64)halves[(t * 3) & 511] * 5 +
          (u64)(i64)chars[(t * 7) & 1023] * 11;
  for (u32 k = 0; k < 4; k++)
    r = r * 31 + ((const LDS u32 *)bytes)[(t & 63) * 4 + k];
  out[i] = r;
}

KERNEL(g_lds_atomics)
{
  ITEMS_OF_GROUP;
  const u32 x = (u32)a[i], y = (u32)b[i];
  if (t < 32)
    counters[t] = t == 3 || t == 5 ? ~0u : 0;
  if (t < 8)
    wide_counters[t] = t == 2 ? ~0ull : 0;
  if (t < 2) {
    floats[t] = 0;
    doubles[t] = 0;
  }
  barrier();
  __atomic_fetch_add(&counters[0], x, __ATOMIC_RELAXED);
  __atomic_fetch_sub(&counters[1], y, __ATOMIC_RELAXED);
  __atomic_fetch_or(&counters[2], x & y, __ATOMIC_RELAXED);
  __atomic_fetch_and(&counters[3], x | y, __ATOMIC_RELAXED);
  __atomic_fetch_xor(&counters[4], x, __ATOMIC_RELAXED);
  __atomic_fetch_min(&counters[5], y, __ATOMIC_RELAXED);
  __atomic_fetch_max(&counters[6], y, __ATOMIC_RELAXED);
  __atomic_fetch_min((LDS i32 *)&counters[7], (i32)x, __ATOMIC_RELAXED);
  __atomic_fetch_max((LDS i32 *)&counters[8], (i32)x, __ATOMIC_RELAXED);
  const u32 ticket = __atomic_fetch_add(&counters[9], 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&counters[10], ticket, __ATOMIC_RELAXED);
  u32 old = __atomic_load_n(&counters[11], __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&counters[11], &old, old * 3 + 1, 0,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
  /* Each value passes an exchange once. */
  const u32 passed =
      __atomic_exchange_n(&counters[12], t + 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&counters[13], passed, __ATOMIC_RELAXED);
  __atomic_fetch_add(&wide_counters[0], a[i], __ATOMIC_RELAXED);
  __atomic_fetch_xor(&wide_counters[1], b[i], __ATOMIC_RELAXED);
  __atomic_fetch_min(&wide_counters[2], b[i], __ATOMIC_RELAXED);
  __atomic_fetch_max((LDS i64 *)&wide_counters[3], (i64)a[i], __ATOMIC_RELAXED);
  u64 seen = __atomic_load_n(&wide_counters[4], __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&wide_counters[4], &seen, seen * 5 + 1, 0,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
  __atomic_fetch_add(&floats[0], (float)(x & 0xff), __ATOMIC_RELAXED);
  __atomic_fetch_add(&doubles[0], (double)y, __ATOMIC_RELAXED);
  barrier();
  const u32 last = counters[12];
  out[i] = t < 9    ? counters[t]
           : t < 12 ? counters[t]
           : t < 13 ? counters[13] + last
           : t < 18 ? wide_counters[t - 13]
           : t < 19 ? bits_of_f32(floats[0])
           : t < 20 ? bits_of_f64(doubles[0])
                    : t;
}

/* ---- global atomics; every group has 32 words of its own in `out` ---- */

KERNEL(g_global_atomics)
{
  ITEMS_OF_GROUP;
  GLOBAL u64 *mine = out + (i & ~255u);
  GLOBAL u32 *narrow = (GLOBAL u32 *)mine;
  __atomic_fetch_min((GLOBAL i32 *)&narrow[0], (i32)a[i], __ATOMIC_RELAXED);
  __atomic_fetch_max((GLOBAL i32 *)&narrow[2], (i32)a[i], __ATOMIC_RELAXED);
  __atomic_fetch_max(&narrow[4], (u32)a[i], __ATOMIC_RELAXED);
  __atomic_fetch_add((GLOBAL float *)&narrow[6], (float)(a[i] & 0xff),
                     __ATOMIC_RELAXED);
  __atomic_fetch_add((GLOBAL double *)&mine[4], (double)(u32)b[i],
                     __ATOMIC_RELAXED);
  __atomic_fetch_max(&mine[5], a[i], __ATOMIC_RELAXED);
  __atomic_fetch_min((GLOBAL i64 *)&mine[6], (i64)b[i], __ATOMIC_RELAXED);
  __atomic_fetch_xor(&mine[7], a[i], __ATOMIC_RELAXED);
  __atomic_fetch_or(&mine[8], b[i], __ATOMIC_RELAXED);
  const u64 ticket = __atomic_fetch_add(&mine[9], 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&mine[10], ticket, __ATOMIC_RELAXED);
  u64 seen = __atomic_load_n(&mine[11], __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&mine[11], &seen, seen * 5 + 1, 0,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
  const u64 passed = __atomic_exchange_n(&mine[12], t + 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&mine[13], passed, __ATOMIC_RELAXED);
  barrier();
  if (t == 0) {
    mine[13] += mine[12];
    mine[12] = 0;
  }
}

/* ---- lanes ---- */

KERNEL(g_shuffle)
{
  ITEMS_OF_GROUP;
  const i32 x = (i32)a[i];
  const u32 l = t % LANES;
  u64 r = (u32)__builtin_amdgcn_ds_bpermute((i32)((l * 7 + 3) * 4), x);
  r = r * 31 + (u32)__builtin_amdgcn_ds_permute((i32)((l * 5 + 1) * 4), x);
  r = r * 31 + (u32)__builtin_amdgcn_ds_swizzle(x, 0x041f); /* xor 1 */
  r = r * 31 + (u32)__builtin_amdgcn_ds_swizzle(x, 0x401f); /* xor 16 */
  r = r * 31 + (u32)__builtin_amdgcn_ds_swizzle(x, 0x00f8); /* and 24 or 7 */
  r = r * 31 + (u32)__builtin_amdgcn_ds_swizzle(x, 0x801b); /* quad 3 2 1 0 */
  r = r * 31 + (u32)__builtin_amdgcn_ds_swizzle(x, 0xc0a0); /* rotate by 5 */
  out[i] = r;
}

#define DPP(old, x, control, rows, banks, zero)                                \
  ((u32)__builtin_amdgcn_update_dpp((i32)(old), (i32)(x), control, rows,       \
                                    banks, zero))

KERNEL(g_dpp)
{
  ITEMS_OF_GROUP;
  const u32 x = (u32)a[i], y = (u32)b[i];
  u64 r = DPP(y, x, 0x1b, 15, 15, 0);       /* quad_perm 3 2 1 0 */
  r = r * 31 + DPP(y, x, 0x103, 15, 15, 0); /* row_shl 3 */
  r = r * 31 + DPP(y, x, 0x115, 15, 15, 0); /* row_shr 5 */
  r = r * 31 + DPP(y, x, 0x115, 15, 15, 1); /* the same, 0 outside */
  r = r * 31 + DPP(y, x, 0x124, 15, 15, 0); /* row_ror 4 */
  r = r * 31 + DPP(y, x, 0x140, 5, 15, 0);  /* row_mirror, rows 0 and 2 */
  r = r * 31 + DPP(y, x, 0x141, 15, 6, 0);  /* row_half_mirror, banks 1, 2 */
  r = r * 31 + (DPP(0, x, 0x111, 15, 15, 1) + y);
  out[i] = r;
}

#if defined(GFX9)
KERNEL(g_dpp_waves)
{
  ITEMS_OF_GROUP;
  const u32 x = (u32)a[i], y = (u32)b[i];
  u64 r = DPP(y, x, 0x142, 10, 15, 0);      /* row_bcast15 */
  r = r * 31 + DPP(y, x, 0x143, 12, 15, 0); /* row_bcast31 */
  r = r * 31 + DPP(y, x, 0x138, 15, 15, 0); /* wave_shr */
  r = r * 31 + DPP(y, x, 0x134, 15, 15, 0); /* wave_rol */
  out[i] = r;
}
#endif

#if defined(RDNA)
KERNEL(g_dpp_rows)
{
  ITEMS_OF_GROUP;
  const u32 x = (u32)a[i], y = (u32)b[i];
  u64 r = DPP(y, x, 0x159, 15, 15, 0);      /* row_share 9 */
  r = r * 31 + DPP(y, x, 0x165, 15, 15, 0); /* row_xmask 5 */
  r = r * 31 + __builtin_amdgcn_permlane16(y, x, 0x89abcdef, 0x01234567, 0, 0);
  r = r * 31 + __builtin_amdgcn_permlanex16(y, x, 0x55555555, 0xeca86420, 0, 0);
  /* Eight lanes turn by 3. */
  r = r * 31 + __builtin_amdgcn_mov_dpp8(x, 0x447d63);
  out[i] = r;
}
#endif

/* A scan of a wave as the compilers write it. */
KERNEL(g_scan)
{
  ITEMS_OF_GROUP;
  u32 x = (u32)a[i];
  x += DPP(0, x, 0x111, 15, 15, 0);
  x += DPP(0, x, 0x112, 15, 15, 0);
  x += DPP(0, x, 0x114, 15, 15, 0);
  x += DPP(0, x, 0x118, 15, 15, 0);
#if defined(GFX9)
  x += DPP(0, x, 0x142, 10, 15, 0);
  x += DPP(0, x, 0x143, 12, 15, 0);
#else
  const u32 row = __builtin_amdgcn_permlanex16(0, x, ~0u, ~0u, 1, 0);
  x += t & 16 ? row : 0;
  const u32 half = (u32)__builtin_amdgcn_readlane((i32)x, 31);
  x += t % LANES >= 32 ? half : 0;
#endif
  out[i] = x;
}

#if LANES == 32
#define BALLOT(condition) ((u64)__builtin_amdgcn_ballot_w32(condition))
#else
#define BALLOT(condition) __builtin_amdgcn_ballot_w64(condition)
#endif

KERNEL(g_ballot)
{
  ITEMS_OF_GROUP;
  const int odd = (int)(a[i] & 1);
  const u64 votes = BALLOT(odd);
  const u32 below = __builtin_amdgcn_mbcnt_hi(
      (u32)(votes >> 32), __builtin_amdgcn_mbcnt_lo((u32)votes, 0));
  u64 r = votes ^ (u64)below << 17;
  r += (u32)__builtin_amdgcn_readlane((i32)b[i], 37 % LANES);
  if (odd)
    r += (u32)__builtin_amdgcn_readfirstlane((i32)b[i]) * 3ull;
  else
    r ^= (u64)__builtin_popcountll(BALLOT(b[i] & 2)) << 40;
  out[i] = r;
}

/* Lanes leave a loop one value after the other. */
KERNEL(g_waterfall)
{
  ITEMS_OF_GROUP;
  const u32 key = (u32)a[i] & 7;
  u32 rounds = 0, first;
  do {
    first = (u32)__builtin_amdgcn_readfirstlane((i32)key);
    rounds += 1 + first;
  } while (first != key);
  out[i] = rounds;
}

/* ---- flat addresses ---- */

static NOINLINE u64 add_at(u64 *p, u64 x)
{
  *p += x;
  return *p;
}

KERNEL(g_flat)
{
  ITEMS_OF_GROUP;
  u64 own = b[i];
  words[t] = a[i];
  out[i] = 5;
  u64 *p = t % 3 == 0 ? (u64 *)&words[t] : t % 3 == 1 ? &own : (u64 *)&out[i];
  const u64 r = add_at(p, t);
  barrier();
  out[i] = r * 7 + own + words[255 - t];
}

/* ---- buffers: what lies outside reads 0 and stores nowhere ---- */

/* The fourth word: 32 bits; of RDNA, offsets in bytes are compared. */
#if defined(RDNA)
#define RESOURCE 0x31014000
#else
#define RESOURCE 0x00024000
#endif

KERNEL(g_buffer)
{
  ITEMS_OF_GROUP;
  const __amdgpu_buffer_rsrc_t r =
      __builtin_amdgcn_make_buffer_rsrc((void *)(out + n), 0, 1024, RESOURCE);
  /* 128 items write the words; the others fall outside. */
  __builtin_amdgcn_raw_buffer_store_b64(
      (__attribute__((ext_vector_type(2))) u32){(u32)a[t], (u32)b[t]}, r,
      (i32)t * 8, 0, 0);
  barrier();
  out[i] = __builtin_amdgcn_raw_buffer_load_b32(r, (i32)t * 8, 0, 0) +
           3ull * __builtin_amdgcn_raw_buffer_load_b32(r, (i32)t * 4, 512, 0);
}

/* ---- grids, clocks, faults ---- */

/* Workgroups of 8 × 4 × 2 on 13 × 7 × 5 items. */
KERNEL(g_grid)
{
  const u32 x =
      __builtin_amdgcn_workgroup_id_x() * 8 + __builtin_amdgcn_workitem_id_x();
  const u32 y =
      __builtin_amdgcn_workgroup_id_y() * 4 + __builtin_amdgcn_workitem_id_y();
  const u32 z =
      __builtin_amdgcn_workgroup_id_z() * 2 + __builtin_amdgcn_workitem_id_z();
  (void)n;
  out[x + 13 * (y + 7 * z)] += (x * 100 + y * 10 + z) * 3 + a[x] + b[y];
}

KERNEL(g_clock)
{
  ITEMS_OF_GROUP;
  const u64 begin = __builtin_readcyclecounter();
  u64 now;
  while ((now = __builtin_readcyclecounter()) - begin < 5000)
    ;
  out[i] = now > begin;
}

/* Half a second of 100 MHz: too long to issue each instruction of the loop. */
KERNEL(g_delay)
{
  ITEMS_OF_GROUP;
  const u64 begin = __builtin_readsteadycounter();
  u64 now;
  while ((now = __builtin_readsteadycounter()) - begin < 50000000)
    ;
  out[i] = now > begin;
}

/* Some steps long, without a look at memory. */
KERNEL(g_long)
{
  ITEMS_OF_GROUP;
  u32 x = (u32)a[i];
  for (u32 k = 0; k < 20000; k++)
    x = x * 1664525 + 1013904223 + k;
  out[i] = x;
}

KERNEL(g_trap)
{
  ITEMS_OF_GROUP;
  if (a[i] == 77)
    __builtin_trap();
  out[i] = 1;
}

KERNEL(g_wild)
{
  ITEMS_OF_GROUP;
  if (t == 5)
    out = (GLOBAL u64 *)0x500000000000;
  out[i & 7] = i;
}

KERNEL(g_outside)
{
  ITEMS_OF_GROUP;
  words[t == 9 ? (u32)a[0] : t] = i;
  barrier();
  out[i] = words[t ^ 1];
}
