/* SPDX-License-Identifier: MIT */
/*
 * Compares libhipblas.so and librocblas.so with loops on the host; prints TAP.
 * It runs under `aqueduct exec --with-blas`: with hip_stand_in.c on any device,
 * and on HIP.
 */
#include "dropin/blas/check_blas.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- elements ---- */

size_t element_size(element type)
{
  static const size_t sizes[] = {2, 2, 4, 8, 4, 8, 8};
  return sizes[type];
}

/* A 16-bit type with so many bits of fraction, rounded to nearest, ties to
 * even. */
static uint16_t narrow(double value, int fraction, int bias)
{
  const int sign = signbit(value) ? 0x8000 : 0;
  const int infinite = 0x7fff >> fraction << fraction;
  int exponent;
  if (isnan(value))
    return (uint16_t)(infinite | 1 << (fraction - 1));
  if (value == 0)
    return (uint16_t)sign;
  if (isinf(value))
    return (uint16_t)(sign | infinite);
  frexp(value, &exponent);
  if (exponent < 2 - bias)
    exponent = 2 - bias; /* subnormal */
  const double unit = ldexp(1, exponent - 1 - fraction);
  /* A carry goes into the exponent. */
  const int bits =
      (int)nearbyint(fabs(value) / unit) + ((exponent - 2 + bias) << fraction);
  return (uint16_t)(sign | (bits > infinite ? infinite : bits));
}

static double widen(uint16_t bits, int fraction, int bias)
{
  const int exponent = (bits & 0x7fff) >> fraction;
  const int rest = bits & ((1 << fraction) - 1);
  const int infinite = 0x7fff >> fraction;
  const double size =
      exponent == infinite ? (rest ? (double)NAN : (double)INFINITY)
      : exponent == 0
          ? ldexp(rest, 1 - bias - fraction)
          : ldexp(rest + (1 << fraction), exponent - bias - fraction);
  return bits & 0x8000 ? -size : size;
}

void element_put(element type, void *at, size_t index, double value)
{
  switch (type) {
  case F16:
    ((uint16_t *)at)[index] = narrow(value, 10, 15);
    break;
  case BF16:
    ((uint16_t *)at)[index] = narrow(value, 7, 127);
    break;
  case F32:
    ((float *)at)[index] = (float)value;
    break;
  case F64:
    ((double *)at)[index] = value;
    break;
  case I32:
    ((int32_t *)at)[index] = (int32_t)value;
    break;
  default:
    ((int64_t *)at)[index] = (int64_t)value;
  }
}

double element_get(element type, const void *at, size_t index)
{
  switch (type) {
  case F16:
    return widen(((const uint16_t *)at)[index], 10, 15);
  case BF16:
    return widen(((const uint16_t *)at)[index], 7, 127);
  case F32:
    return (double)((const float *)at)[index];
  case F64:
    return ((const double *)at)[index];
  case I32:
    return ((const int32_t *)at)[index];
  default:
    return (double)((const int64_t *)at)[index];
  }
}

double element_round(element type, double value)
{
  _Alignas(8) char bytes[8];
  element_put(type, bytes, 0, value);
  return element_get(type, bytes, 0);
}

bool same(double a, double b)
{
  return a == b || (isnan(a) && isnan(b));
}

/* ---- arrays ---- */

static void must(int status)
{
  if (status == 0)
    return;
  printf("Bail out! HIP failed: %d\n", status);
  exit(1);
}

array array_make(element type, size_t count)
{
  array a = {type, count, calloc(count + 1, sizeof(double)), NULL};
  must(hipMalloc(&a.device, (count + 1) * element_size(type)));
  return a;
}

void array_fini(array *a)
{
  must(hipFree(a->device));
  free(a->host);
}

void array_upload(const array *a)
{
  const size_t bytes = a->count * element_size(a->type);
  void *image = malloc(bytes + 1);
  for (size_t i = 0; i < a->count; i++)
    element_put(a->type, image, i, a->host[i]);
  must(hipMemcpy(a->device, image, bytes, TO_DEVICE));
  free(image);
}

void array_download(array *a)
{
  const size_t bytes = a->count * element_size(a->type);
  void *image = malloc(bytes + 1);
  must(hipMemcpy(image, a->device, bytes, TO_HOST));
  for (size_t i = 0; i < a->count; i++)
    a->host[i] = element_get(a->type, image, i);
  free(image);
}

void array_randomize(array *a)
{
  static uint64_t state = 1;
  for (size_t i = 0; i < a->count; i++) {
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    a->host[i] = (double)(state >> 33) - 5.0 * (double)((state >> 33) / 5) - 2;
  }
  array_upload(a);
}

void array_fill(array *a, double value)
{
  for (size_t i = 0; i < a->count; i++)
    a->host[i] = value;
  array_upload(a);
}

array array_pointers(const array *a, size_t count, size_t step)
{
  array pointers = array_make(POINTER, count);
  void **image = calloc(count, sizeof *image);
  for (size_t i = 0; i < count; i++)
    image[i] = (char *)a->device + i * step * element_size(a->type);
  must(hipMemcpy(pointers.device, image, count * sizeof *image, TO_DEVICE));
  free(image);
  return pointers;
}

const void *scalar_make(scalar *s, element type, double value, bool device)
{
  s->device = NULL;
  element_put(type, s->bytes, 0, value);
  if (!device)
    return s->bytes;
  must(hipMalloc(&s->device, sizeof s->bytes));
  must(hipMemcpy(s->device, s->bytes, sizeof s->bytes, TO_DEVICE));
  return s->device;
}

void scalar_fini(scalar *s)
{
  if (s->device)
    must(hipFree(s->device));
}

/* ---- results ---- */

static struct {
  int checks, failed_checks;
  long compared, failed;
} results;

void expect(bool right, const char *format, ...)
{
  enum { PRINTED = 5 };
  va_list args;
  results.compared++;
  if (right || ++results.failed > PRINTED)
    return;
  va_start(args, format);
  printf("# ");
  vprintf(format, args);
  printf("\n");
  va_end(args);
}

void check_end(const char *name)
{
  results.checks++;
  results.failed_checks += results.failed > 0;
  printf("%sok %d - %s, %ld comparisons\n", results.failed > 0 ? "not " : "",
         results.checks, name, results.compared);
  results.compared = results.failed = 0;
}

int main(void)
{
  hipblasHandle_t handle;
  void *stream;
  if (hipblasCreate(&handle) != HIPBLAS_STATUS_SUCCESS) {
    printf("Bail out! hipblasCreate failed\n");
    return 1;
  }
  check_errors(handle);
  check_gemm(handle);
  check_gemm_batches(handle);
  must(hipStreamCreate(&stream));
  hipblasSetStream(handle, stream);
  check_gemm_values(handle);
  check_gemv(handle);
  check_trsm(handle);
  check_vectors(handle);
  check_vectors_ex(handle);
  check_rocblas();
  expect(hipblasDestroy(handle) == HIPBLAS_STATUS_SUCCESS, "hipblasDestroy");
  must(hipStreamDestroy(stream));
  check_end("the handle ends");
  printf("1..%d\n", results.checks);
  return results.failed_checks > 0;
}
