/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/mode.h"

#if defined(__x86_64__)

#include <xmmintrin.h>

enum {
  MXCSR_MASKS = 0x1f80, /* no exception traps */
  MXCSR_DAZ = 1 << 6,
  MXCSR_FTZ = 1 << 15,
  MXCSR_ROUND = 13,
};

/* Round to nearest, up, down, to zero; the host counts nearest, down, up. */
static uint32_t control(unsigned round, unsigned denormals)
{
  static const uint8_t host[] = {0, 2, 1, 3};
  return MXCSR_MASKS | (uint32_t)host[round] << MXCSR_ROUND |
         (denormals & 1 ? 0 : (uint32_t)MXCSR_DAZ) |
         (denormals & 2 ? 0 : (uint32_t)MXCSR_FTZ);
}

void aq_wave_mode_enter(aq_wave *w)
{
  _mm_setcsr(control(w->mode & 3, w->mode >> 4 & 3));
}

void aq_wave_mode_enter64(aq_wave *w)
{
  _mm_setcsr(control(w->mode >> 2 & 3, w->mode >> 6 & 3));
}

void aq_wave_mode_enter_nearest(void)
{
  _mm_setcsr(control(0, 3));
}

uint32_t aq_wave_mode_save(void)
{
  return _mm_getcsr();
}

void aq_wave_mode_restore(uint32_t saved)
{
  _mm_setcsr(saved);
}

#elif defined(__aarch64__)

enum { FPCR_FZ = 1 << 24, FPCR_ROUND = 22 };

static void control(unsigned round, unsigned denormals)
{
  const uint64_t value =
      (uint64_t)round << FPCR_ROUND | (denormals == 3 ? 0 : (uint64_t)FPCR_FZ);
  __asm__ volatile("msr fpcr, %0" : : "r"(value));
}

void aq_wave_mode_enter(aq_wave *w)
{
  control(w->mode & 3, w->mode >> 4 & 3);
}

void aq_wave_mode_enter64(aq_wave *w)
{
  control(w->mode >> 2 & 3, w->mode >> 6 & 3);
}

void aq_wave_mode_enter_nearest(void)
{
  control(0, 3);
}

uint32_t aq_wave_mode_save(void)
{
  uint64_t value;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return (uint32_t)value;
}

void aq_wave_mode_restore(uint32_t saved)
{
  __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)saved));
}

#else
/* Elsewhere nothing is executed. */

void aq_wave_mode_enter(aq_wave *w)
{
  (void)w;
}

void aq_wave_mode_enter64(aq_wave *w)
{
  (void)w;
}

uint32_t aq_wave_mode_save(void)
{
  return 0;
}

void aq_wave_mode_restore(uint32_t saved)
{
  (void)saved;
}

#endif
