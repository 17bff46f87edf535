/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/blas/core.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dropin/blas/embedded.h"

/* ---- lines on standard error ---- */

typedef struct said {
  struct said *next;
  char text[];
} said;

/* Prints a line, unless it was printed before. */
static void say_once(const char *text)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static said *all;
  const size_t size = strlen(text) + 1;
  pthread_mutex_lock(&lock);
  said *s = all;
  while (s && strcmp(s->text, text) != 0)
    s = s->next;
  if (!s) {
    fprintf(stderr, "aqueduct: blas: %s\n", text);
    s = malloc(sizeof *s + size);
    if (s) { /* else it is said again */
      memcpy(s->text, text, size);
      s->next = all;
      all = s;
    }
  }
  pthread_mutex_unlock(&lock);
}

aqblas_status aqblas_refuse(const char *name, const char *format, ...)
{
  char why[200], text[300];
  va_list args;
  va_start(args, format);
  vsnprintf(why, sizeof why, format, args);
  va_end(args);
  snprintf(text, sizeof text, "%s is not supported%s", name, why);
  say_once(text);
  return AQBLAS_UNSUPPORTED;
}

/* The status for an error of HIP, 0: none. */
aqblas_status aqblas_hip_status(const char *function, int error)
{
  enum { OUT_OF_MEMORY = 2 };
  char text[100];
  if (error == 0)
    return AQBLAS_OK;
  snprintf(text, sizeof text, "%s failed: HIP error %d", function, error);
  say_once(text);
  return error == OUT_OF_MEMORY ? AQBLAS_NO_MEMORY : AQBLAS_FAILED;
}

/* ---- handles ---- */

static const char *const kernel_names[] = {
#define K(name, types) "aqblas_" #name "_" #types,
#include "dropin/blas/kernels.def"
#undef K
};

static aqblas_status handle_init(aqblas_handle *h)
{
  aqblas_status status = AQBLAS_CALL(h->hip, hipGetDevice, &h->device);
  if (status != AQBLAS_OK)
    return status;
  /* HIP takes the device's object out of the bundle. */
  status = AQBLAS_CALL(h->hip, hipModuleLoadData, &h->module, aqblas_bundle);
  if (status != AQBLAS_OK)
    return status == AQBLAS_NO_MEMORY ? status : AQBLAS_NO_CODE;
  for (int i = 0; i < AQBLAS_KERNEL_COUNT && status == AQBLAS_OK; i++)
    status = AQBLAS_CALL(h->hip, hipModuleGetFunction, &h->kernels[i],
                         h->module, kernel_names[i]);
  return status;
}

aqblas_status aqblas_create(aqblas_handle **out)
{
  const aqblas_hip *hip = aqblas_hip_find();
  if (!hip)
    return AQBLAS_NO_RUNTIME;
  aqblas_handle *h = calloc(1, sizeof *h);
  if (!h)
    return AQBLAS_NO_MEMORY;
  h->hip = hip;
  const aqblas_status status = handle_init(h);
  if (status == AQBLAS_OK)
    *out = h;
  else
    aqblas_destroy(h);
  return status;
}

aqblas_status aqblas_destroy(aqblas_handle *h)
{
  if (!h)
    return AQBLAS_BAD_HANDLE;
  aqblas_status status = AQBLAS_OK;
  int device = h->device;
  AQBLAS_CALL(h->hip, hipGetDevice, &device);
  if (h->module) { /* its kernels may still run, on the handle's device */
    AQBLAS_CALL(h->hip, hipSetDevice, h->device);
    status = AQBLAS_CALL(h->hip, hipDeviceSynchronize);
    AQBLAS_CALL(h->hip, hipModuleUnload, h->module);
  }
  if (h->results)
    AQBLAS_CALL(h->hip, hipFree, h->results);
  if (device != h->device)
    AQBLAS_CALL(h->hip, hipSetDevice, device);
  free(h);
  return status;
}

/* ---- types and scalars ---- */

static const struct {
  const char *name;
  size_t size;
  int number, older; /* hipDataType; hipblasDatatype_t and rocblas_datatype */
} types[] = {[AQBLAS_F16] = {"f16", 2, 2, 150},
             [AQBLAS_BF16] = {"bf16", 2, 14, 168},
             [AQBLAS_F32] = {"f32", 4, 0, 151},
             [AQBLAS_F64] = {"f64", 8, 1, 152}};

bool aqblas_type_read(int number, aqblas_type *out)
{
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (number == types[i].number || number == types[i].older) {
      *out = (aqblas_type)i;
      return true;
    }
  return false;
}

const char *aqblas_type_name(aqblas_type type)
{
  return types[type].name;
}

size_t aqblas_type_size(aqblas_type type)
{
  return types[type].size;
}

static double f16_widen(uint16_t bits)
{
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 0x3ff;
  const double size = exponent == 31
                          ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                      : exponent == 0 ? ldexp(fraction, -24)
                                      : ldexp(fraction + 1024, exponent - 25);
  return bits & 0x8000 ? -size : size;
}

static double scalar_read(const void *at, aqblas_type type)
{
  uint16_t half;
  uint32_t word;
  float single;
  double value;
  switch (type) {
  case AQBLAS_F16:
    memcpy(&half, at, sizeof half);
    return f16_widen(half);
  case AQBLAS_BF16:
    memcpy(&half, at, sizeof half);
    word = (uint32_t)half << 16;
    memcpy(&single, &word, sizeof single);
    return (double)single;
  case AQBLAS_F32:
    memcpy(&single, at, sizeof single);
    return (double)single;
  default:
    memcpy(&value, at, sizeof value);
    return value;
  }
}

aqblas_scalar aqblas_scalar_make(const aqblas_handle *h, const void *at,
                                 aqblas_type type)
{
  if (h->scalars_on_device)
    return (aqblas_scalar){.at = at};
  return (aqblas_scalar){.value = scalar_read(at, type)};
}

/* ---- work ---- */

/* The handle's code and memory are on its own device. */
aqblas_status aqblas_device_check(const aqblas_handle *h, const char *name)
{
  int device;
  const aqblas_status status = AQBLAS_CALL(h->hip, hipGetDevice, &device);
  return status == AQBLAS_OK && device != h->device
             ? aqblas_refuse(name, " on device %d: the handle is of device %d",
                             device, h->device)
             : status;
}

aqblas_status aqblas_launch(const aqblas_handle *h, const char *name,
                            aqblas_kernel kernel, const aqblas_grid *grid,
                            void *args, size_t size)
{
  enum { BUFFER = 1, BUFFER_SIZE = 2, END = 3 }; /* HIP_LAUNCH_PARAM_ */
  void *extra[] = {(void *)(uintptr_t)BUFFER, args,
                   (void *)(uintptr_t)BUFFER_SIZE, &size,
                   (void *)(uintptr_t)END};
  const aqblas_status status = aqblas_device_check(h, name);
  if (status != AQBLAS_OK)
    return status;
  return AQBLAS_CALL(h->hip, hipModuleLaunchKernel, h->kernels[kernel],
                     (unsigned)grid->x, (unsigned)grid->y, (unsigned)grid->z,
                     grid->block_x, grid->block_y, 1, 0, h->stream, NULL,
                     extra);
}

aqblas_status aqblas_copy_do(const aqblas_copy *copy, bool wait, void *stream)
{
  const aqblas_hip *hip = aqblas_hip_find();
  if (!hip)
    return AQBLAS_NO_RUNTIME;
  if (copy->width < 0 || copy->height < 0 || copy->element <= 0 ||
      copy->to_pitch < copy->width || copy->from_pitch < copy->width ||
      copy->to_pitch < 1 || copy->from_pitch < 1)
    return AQBLAS_BAD_SIZE;
  if (copy->width == 0 || copy->height == 0)
    return AQBLAS_OK;
  if (!copy->to || !copy->from)
    return AQBLAS_BAD_POINTER;
  const size_t bytes = (size_t)copy->element;
  const size_t to_pitch = (size_t)copy->to_pitch * bytes,
               from_pitch = (size_t)copy->from_pitch * bytes,
               width = (size_t)copy->width * bytes,
               height = (size_t)copy->height;
  return wait ? AQBLAS_CALL(hip, hipMemcpy2D, copy->to, to_pitch, copy->from,
                            from_pitch, width, height, copy->kind)
              : AQBLAS_CALL(hip, hipMemcpy2DAsync, copy->to, to_pitch,
                            copy->from, from_pitch, width, height, copy->kind,
                            stream);
}
