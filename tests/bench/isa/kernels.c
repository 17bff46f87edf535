/* SPDX-License-Identifier: MIT */
/*
 * The kernels of bench_isa, compiled by `make regenerate-bench` for gfx90a into
 * kernels.hsaco: `make bench` needs no compiler. Their loops on the host are in
 * bench_isa_host.c.
 */
#define GLOBAL __attribute__((address_space(1)))
#define LDS    __attribute__((address_space(3)))
#define KERNEL(items)                                                          \
  __attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(items, items)))

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef _Float16 f16x2 __attribute__((ext_vector_type(2)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef float f32x16 __attribute__((ext_vector_type(16)));

#define ITEM_X __builtin_amdgcn_workitem_id_x()
#define ITEM_Y __builtin_amdgcn_workitem_id_y()
#define WG_X   __builtin_amdgcn_workgroup_id_x()
#define WG_Y   __builtin_amdgcn_workgroup_id_y()

KERNEL(256)
void vadd(const GLOBAL float *a, const GLOBAL float *b, GLOBAL float *c, u32 n)
{
  const u32 i = WG_X * 256 + ITEM_X;
  if (i < n)
    c[i] = a[i] + b[i];
}

/* Tiles of 16 by 16 in LDS. */
KERNEL(256)
void sgemm_lds(const GLOBAL float *a, const GLOBAL float *b, GLOBAL float *c,
               u32 n)
{
  static LDS float sa[16][16] __attribute__((loader_uninitialized)),
      sb[16][16] __attribute__((loader_uninitialized));
  const u32 x = ITEM_X, y = ITEM_Y;
  const u32 column = WG_X * 16 + x, row = WG_Y * 16 + y;
  float sum = 0;
  for (u32 k = 0; k < n; k += 16) {
    sa[y][x] = a[row * n + k + x];
    sb[y][x] = b[(k + y) * n + column];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    for (u32 i = 0; i < 16; i++)
      sum = __builtin_fmaf(sa[y][i], sb[i][x], sum);
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  }
  c[row * n + column] = sum;
}

/* n rounds of a hash of 32 bits. */
KERNEL(256) void hash(const GLOBAL u32 *a, GLOBAL u32 *out, u32 n)
{
  const u32 i = WG_X * 256 + ITEM_X;
  u32 x = a[i], h = i;
#pragma clang loop unroll_count(4)
  for (u32 k = 0; k < n; k++) {
    x *= 0xcc9e2d51;
    x = x << 15 | x >> 17;
    h ^= x * 0x1b873593;
    h = h << 13 | h >> 19;
    h = h * 5 + 0xe6546b64;
    x += h ^ h >> 16;
  }
  out[i] = x ^ h;
}

/* n dependent reads of a table, `mask` + 1 words long. */
KERNEL(256)
void gather(const GLOBAL u32 *table, GLOBAL u32 *out, u32 mask, u32 n)
{
  const u32 i = WG_X * 256 + ITEM_X;
  u32 x = i;
  for (u32 k = 0; k < n; k++)
    x = table[(x ^ k) & mask] + i;
  out[i] = x;
}

/* Four polynomials, n steps each. */
KERNEL(256) void f64_fma(const GLOBAL double *a, GLOBAL double *out, u32 n)
{
  const u32 i = WG_X * 256 + ITEM_X;
  const double x = a[i];
  double s0 = 0, s1 = 1, s2 = 2, s3 = 3;
  for (u32 k = 0; k < n; k++) {
    s0 = __builtin_fma(s0, x, 0.5);
    s1 = __builtin_fma(s1, x, s0);
    s2 = __builtin_fma(s2, x, s1);
    s3 = __builtin_fma(s3, x, s2);
  }
  out[i] = s0 + s1 + s2 + s3;
}

/* C = A * B', n by n; a wave computes 32 by 32 of C. */
KERNEL(64)
void mfma_f16_gemm(const GLOBAL _Float16 *a, const GLOBAL _Float16 *b,
                   GLOBAL float *c, u32 n)
{
  const u32 lane = ITEM_X, column = lane & 31, half = lane >> 5;
  const GLOBAL f16x4 *pa =
      (const GLOBAL f16x4 *)(a + (WG_Y * 32 + column) * n + 4 * half);
  const GLOBAL f16x4 *pb =
      (const GLOBAL f16x4 *)(b + (WG_X * 32 + column) * n + 4 * half);
  f32x16 sum = 0;
  for (u32 k = 0; k < n / 8; k++)
    sum = __builtin_amdgcn_mfma_f32_32x32x8f16(pa[2 * k], pb[2 * k], sum, 0, 0,
                                               0);
  for (u32 i = 0; i < 16; i++) {
    const u32 row = i % 4 + 8 * (i / 4) + 4 * half;
    c[(WG_Y * 32 + row) * n + WG_X * 32 + column] = sum[i];
  }
}

/* n rounds on parts of words, which SDWA selects. */
KERNEL(256) void parts(const GLOBAL u32 *a, GLOBAL u32 *out, u32 n)
{
  const u32 i = WG_X * 256 + ITEM_X;
  u32 x = a[i], h = i;
  for (u32 k = 0; k < n; k++) {
    x ^= h >> 16;
    h -= x & 0xff;
    x = (x >> 16) * (h & 0xffff);
    h -= x >> 24;
    x ^= h >> 8 & 0xff;
    h ^= x << 5;
  }
  out[i] = x ^ h;
}

/* A lane's word by DPP, in some of the wave's rows of 16 lanes; else 0. */
#define DPP(x, control, rows)                                                  \
  (u32) __builtin_amdgcn_update_dpp(0, (int)(x), control, rows, 0xf, 0)

/* n sums of the items before, in each wave: row_shr by 1, 2, 4 and 8, then
 * row_bcast:15 and :31. */
KERNEL(256) void scan(const GLOBAL u32 *a, GLOBAL u32 *out, u32 n)
{
  const u32 i = WG_X * 256 + ITEM_X;
  u32 x = a[i];
  for (u32 k = 0; k < n; k++) {
    x += DPP(x, 0x111, 0xf);
    x += DPP(x, 0x112, 0xf);
    x += DPP(x, 0x114, 0xf);
    x += DPP(x, 0x118, 0xf);
    x += DPP(x, 0x142, 0xa);
    x += DPP(x, 0x143, 0xc);
    x ^= k;
  }
  out[i] = x;
}

/* n additions of another lane's word. */
KERNEL(256) void permute(const GLOBAL u32 *a, GLOBAL u32 *out, u32 n)
{
  const u32 i = WG_X * 256 + ITEM_X;
  u32 x = a[i];
  for (u32 k = 0; k < n; k++)
    x = x * 5 +
        (u32)__builtin_amdgcn_ds_bpermute((int)(i * 20 + 4 * k), (int)x);
  out[i] = x;
}

/* Polynomials of two halves at once, and of one; n steps each. */
KERNEL(256) void f16_poly(const GLOBAL f16x2 *a, GLOBAL u32 *out, u32 n)
{
  const u32 i = WG_X * 256 + ITEM_X;
  const f16x2 x = a[i];
  f16x2 s = 0, t = 1;
  _Float16 u = 0, v = 1;
  for (u32 k = 0; k < n; k++) {
    s = __builtin_elementwise_fma(s, x, (f16x2)(_Float16)0.5);
    t = t * x + s;
    u = __builtin_elementwise_fma(u, x.x, (_Float16)0.25);
    v = v * x.y + u;
  }
  const f16x2 both = s + t;
  const f16x2 one = {u, v};
  out[i] = __builtin_bit_cast(u32, both) ^ __builtin_bit_cast(u32, one);
}

/* n divisions, rounded to nearest. */
KERNEL(256) void divide(const GLOBAL float *a, GLOBAL float *out, u32 n)
{
  const u32 i = WG_X * 256 + ITEM_X;
  const float x = a[i];
  float s = 1;
  for (u32 k = 0; k < n; k++)
    s = x / s + 1;
  out[i] = s;
}

/* n reads of a byte and of a half, of neighbours by all lanes of a wave. */
KERNEL(256)
void bytes(const GLOBAL u8 *a, const GLOBAL u16 *b, GLOBAL u32 *out, u32 n)
{
  const u32 i = WG_X * 256 + ITEM_X;
  u32 sum = 0;
#pragma clang loop vectorize(disable) unroll_count(4)
  for (u32 k = 0; k < n; k++)
    sum += (u32)a[i + 64 * k] * b[i + 64 * k];
  out[i] = sum;
}

/* Nothing but code: each instruction is executed once. */
KERNEL(64) void unrolled(const GLOBAL u32 *a, GLOBAL u32 *out)
{
  const u32 i = ITEM_X;
  u32 x = a[i], h = i;
#pragma clang loop unroll(full)
  for (u32 k = 0; k < 400; k++) {
    x = (x << 5 | x >> 27) ^ h;
    h = h * 5 + k;
    x += a[k] & h;
  }
  out[i] = x ^ h;
}

KERNEL(64) void empty(void) {}
