/* SPDX-License-Identifier: MIT */
/*
 * The loader: a code object in memory that kernels and the host read alike.
 * Segments are laid out, relocations applied, kernels and variables found by
 * name.
 *
 * An image owns its memory, through the allocator it was given, and its facts
 * of the code object; the bytes of the file are not needed after loading.
 * Guest addresses are host addresses: a kernel object is the address of the
 * kernel's descriptor in the image.
 *
 * Loading is a pure function of bytes and options. An image is constant until
 * aq_code_image_unload but for what kernels and clients write into it; any
 * number of threads may ask it. It must not be moved while the allocator's
 * user counts on its address; everything in it may.
 */
#ifndef AQ_GPU_CODEOBJ_LOADER_H
#define AQ_GPU_CODEOBJ_LOADER_H

#include "common/kernel_desc.h"
#include "gpu/codeobj/codeobj.h"

/* Where images lie. */
typedef struct aq_code_memory {
  /* `size` zeroed bytes that may be read and written, at a multiple of `align`
   * (a power of two from 4096 on); NULL: there is no memory. */
  void *(*allocate)(void *user, size_t size, size_t align);
  void (*release)(void *user, void *base, size_t size);
  void *user;
} aq_code_memory;

/* All zero: private pages, any target, no variables from outside. Borrowed for
 * the call, but for what memory->user points to. */
typedef struct aq_code_image_options {
  const aq_code_memory *memory; /* NULL: private pages of the process */
  const aq_target *device;      /* the code has to fit it; NULL: anything */
  aq_codeobj_depth depth;
  /* Where the variable of a name is that the code object does not define, or
   * 0. NULL: nothing is defined outside. */
  uint64_t (*resolve)(void *user, const char *name);
  void *resolve_user;
} aq_code_image_options;

typedef struct aq_code_image {
  aq_codeobj code;
  char *base;    /* of the memory; code.low lies in its first page */
  size_t span;   /* bytes */
  uint64_t bias; /* address in memory less address in the file */
  aq_code_memory memory;
} aq_code_image;

/* Loads a code object (no bundle). AQ_ERR_INPUT: damaged, or relocations that
 * cannot be applied; AQ_ERR_UNSUPPORTED: not for the device; AQ_ERR_NOT_FOUND:
 * it needs an undefined variable; AQ_ERR_NO_MEMORY. The diagnostic
 * names the object and the reason. `out` is written on success. */
aq_status aq_code_image_load(const void *bytes, size_t size,
                             const aq_code_image_options *options,
                             aq_code_image *out, aq_diag *diag);
void aq_code_image_unload(aq_code_image *image);

/* Whether an address in memory lies in the image. */
bool aq_code_image_has(const aq_code_image *image, uint64_t address);

/* Calls a function for the place in memory of each segment of code, until it
 * returns false; then it does. */
bool aq_code_image_texts(const aq_code_image *image,
                         bool (*text)(void *user, const void *base,
                                      size_t size),
                         void *user);

/* The address in memory of a symbol or of a kernel's descriptor. */
static inline uint64_t aq_code_image_symbol(const aq_code_image *image,
                                            const aq_code_symbol *symbol)
{
  return image->bias + symbol->address;
}

static inline uint64_t aq_code_image_object(const aq_code_image *image,
                                            const aq_code_kernel *kernel)
{
  return image->bias + kernel->address;
}

/* A loaded kernel as a transport registers it, without a host function. Texts
 * are the image's. */
aq_kernel_desc aq_code_image_kernel(const aq_code_image *image,
                                    const aq_code_kernel *kernel);

#endif
