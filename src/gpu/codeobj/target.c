/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/target.h"

#include <stdio.h>
#include <string.h>

static const aq_processor processors[] = {
#define P(...) {__VA_ARGS__},
#include "gpu/codeobj/processors.def"
#undef P
};

enum {
  PROCESSOR_COUNT = sizeof processors / sizeof *processors,
  /* e_flags, by LLVM's User Guide for AMDGPU Backend. */
  MACH_MASK = 0xff,
  V3_XNACK = 0x100,
  V3_SRAMECC = 0x200,
  V4_XNACK_SHIFT = 8,
  V4_SRAMECC_SHIFT = 10,
  V4_FEATURE_MASK = 3,
  V6_GENERIC_SHIFT = 24,
  ABI_V3 = 1,
  ABI_V6 = 4,
};

static const char triple[] = "amdgcn-amd-amdhsa--";

static aq_feature feature_default(bool supported)
{
  return supported ? AQ_FEATURE_ANY : AQ_FEATURE_UNSUPPORTED;
}

/* ---- texts ---- */

static const aq_processor *processor_named(const char *name, size_t length)
{
  for (size_t i = 0; i < PROCESSOR_COUNT; i++)
    if (strlen(processors[i].name) == length &&
        memcmp(processors[i].name, name, length) == 0)
      return &processors[i];
  return NULL;
}

/* "xnack+" or "xnack-" of a target; false when it is neither. */
static bool feature_read(const char *text, size_t length, const char *name,
                         aq_feature *out)
{
  size_t size = strlen(name);
  if (length != size + 1 || memcmp(text, name, size) != 0 ||
      (text[size] != '+' && text[size] != '-') || *out != AQ_FEATURE_ANY)
    return false;
  *out = text[size] == '+' ? AQ_FEATURE_ON : AQ_FEATURE_OFF;
  return true;
}

static size_t part_length(const char *text, const char *end)
{
  const char *colon = memchr(text, ':', (size_t)(end - text));
  return (size_t)((colon ? colon : end) - text);
}

aq_status aq_target_parse(const char *text, size_t length, aq_target *out,
                          aq_diag *diag)
{
  const char *at = text, *end = text + length;
  if (length >= sizeof triple - 1 && memcmp(at, triple, sizeof triple - 1) == 0)
    at += sizeof triple - 1;
  size_t part = part_length(at, end);
  const aq_processor *processor = processor_named(at, part);
  if (!processor)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "target '%.*s': unknown processor; expected one as "
                       "gfx942 or gfx11-generic",
                       (int)(length < 80 ? length : 80), text);
  aq_target target = {.processor = processor,
                      .xnack = feature_default(processor->xnack),
                      .sramecc = feature_default(processor->sramecc)};
  for (at += part; at < end; at += part) {
    at++;
    part = part_length(at, end);
    if (!feature_read(at, part, "xnack", &target.xnack) &&
        !feature_read(at, part, "sramecc", &target.sramecc))
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "target '%.*s': '%.*s' is no setting of %s; expected "
                         "xnack or sramecc with + or -, once, where the "
                         "processor has it",
                         (int)(length < 80 ? length : 80), text,
                         (int)(part < 40 ? part : 40), at, processor->name);
  }
  *out = target;
  return AQ_OK;
}

aq_status aq_target_of_device(const char *gfx, bool xnack, aq_target *out,
                              aq_diag *diag)
{
  aq_target target;
  aq_status status = aq_target_parse(gfx, strlen(gfx), &target, diag);
  if (status != AQ_OK)
    return status;
  if (target.xnack == AQ_FEATURE_ANY)
    target.xnack = xnack ? AQ_FEATURE_ON : AQ_FEATURE_OFF;
  if (target.sramecc == AQ_FEATURE_ANY)
    target.sramecc = AQ_FEATURE_ON;
  *out = target;
  return AQ_OK;
}

static const char *feature_mark(aq_feature feature, const char *on,
                                const char *off)
{
  return feature == AQ_FEATURE_ON ? on : feature == AQ_FEATURE_OFF ? off : "";
}

void aq_target_print(const aq_target *target, char text[AQ_TARGET_TEXT_SIZE])
{
  snprintf(text, AQ_TARGET_TEXT_SIZE, "%s%s%s", target->processor->name,
           feature_mark(target->sramecc, ":sramecc+", ":sramecc-"),
           feature_mark(target->xnack, ":xnack+", ":xnack-"));
}

/* ---- flags ---- */

/* Two bits from version 4 on: not supported, any, off, on. */
static aq_feature feature_v4(bool supported, uint32_t flags, unsigned shift)
{
  static const aq_feature features[] = {AQ_FEATURE_UNSUPPORTED, AQ_FEATURE_ANY,
                                        AQ_FEATURE_OFF, AQ_FEATURE_ON};
  return supported ? features[flags >> shift & V4_FEATURE_MASK]
                   : AQ_FEATURE_UNSUPPORTED;
}

static aq_feature feature_v3(bool supported, bool on)
{
  if (!supported)
    return AQ_FEATURE_UNSUPPORTED;
  return on ? AQ_FEATURE_ON : AQ_FEATURE_OFF;
}

/* Generic targets came with version 6 of code objects and count theirs from 1
 * on; a later version covers the targets of an earlier one, and the listed ones
 * are covered since the first. */
static aq_status generic_check(const aq_target *target, uint32_t abi_version,
                               aq_diag *diag)
{
  const bool generic = aq_target_is_generic(target);
  if (generic == (target->generic_version > 0) &&
      (!generic || abi_version == ABI_V6))
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "code object for %s with generic version %u in ABI "
                     "version %u; expected a version for generic targets, and "
                     "only for those, in ABI version %d",
                     target->processor->name, target->generic_version,
                     abi_version, ABI_V6);
}

aq_status aq_target_from_flags(uint32_t abi_version, uint32_t flags,
                               aq_target *out, aq_diag *diag)
{
  size_t i = 0;
  if (abi_version < ABI_V3 || abi_version > ABI_V6)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "code object of ABI version %u; expected 0 to 4 (code "
                       "object versions 2 to 6)",
                       abi_version);
  while (i < PROCESSOR_COUNT && processors[i].mach != (flags & MACH_MASK))
    i++;
  if (i == PROCESSOR_COUNT)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "code object for processor 0x%x of e_flags, which is "
                       "not known",
                       flags & MACH_MASK);
  const aq_processor *p = &processors[i];
  aq_target target = {.processor = p};
  if (abi_version == ABI_V3) {
    target.xnack = feature_v3(p->xnack, flags & V3_XNACK);
    target.sramecc = feature_v3(p->sramecc, flags & V3_SRAMECC);
  } else {
    target.xnack = feature_v4(p->xnack, flags, V4_XNACK_SHIFT);
    target.sramecc = feature_v4(p->sramecc, flags, V4_SRAMECC_SHIFT);
  }
  if (abi_version == ABI_V6)
    target.generic_version = flags >> V6_GENERIC_SHIFT;
  aq_status status = generic_check(&target, abi_version, diag);
  if (status == AQ_OK)
    *out = target;
  return status;
}

/* Before LLVM 7, e_flags had two bits of settings and no processor. */
static const aq_processor *processor_of_flags(uint32_t flags)
{
  for (size_t i = 0; i < PROCESSOR_COUNT; i++)
    if (processors[i].mach == (flags & MACH_MASK))
      return &processors[i];
  return NULL;
}

aq_status aq_target_from_isa(const uint32_t isa[3], uint32_t flags,
                             aq_target *out, aq_diag *diag)
{
  enum { V2_XNACK = 1, V2_SETTINGS = 3 };
  char name[40];
  const bool paired = isa[0] == 9 && isa[1] == 0 && isa[2] < 8;
  const bool odd = paired && isa[2] & 1;
  const int length = snprintf(name, sizeof name, "gfx%u%u%x", isa[0], isa[1],
                              odd ? isa[2] - 1 : isa[2]);
  const aq_processor *named = processor_named(name, (size_t)length);
  const aq_processor *flagged = processor_of_flags(flags);
  const bool old = (flags & ~(uint32_t)V2_SETTINGS) == 0;
  if (!named || (flagged ? flagged != named : !old))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "code object version 2 for ISA %u.%u.%u with e_flags "
                       "0x%x; expected a known processor, alike in both",
                       isa[0], isa[1], isa[2], flags);
  *out =
      (aq_target){.processor = named,
                  .xnack = feature_v3(
                      named->xnack, odd || flags & (old ? V2_XNACK : V3_XNACK)),
                  .sramecc = feature_v3(named->sramecc, flags & V3_SRAMECC)};
  return AQ_OK;
}

/* ---- fitting ---- */

bool aq_target_is_generic(const aq_target *target)
{
  return strcmp(target->processor->family, "generic") == 0;
}

static bool feature_fits(aq_feature code, aq_feature device)
{
  return (code != AQ_FEATURE_ON && code != AQ_FEATURE_OFF) ||
         device == AQ_FEATURE_ANY || device == code;
}

aq_target_fit aq_target_fits(const aq_target *code, const aq_target *device)
{
  const aq_processor *a = code->processor, *b = device->processor;
  if (!feature_fits(code->xnack, device->xnack) ||
      !feature_fits(code->sramecc, device->sramecc))
    return AQ_FIT_NONE;
  if (a == b)
    return AQ_FIT_EXACT;
  return strcmp(a->name, b->generic) == 0 ? AQ_FIT_GENERIC : AQ_FIT_NONE;
}

aq_status aq_target_check(const aq_target *code, const aq_target *device,
                          aq_diag *diag)
{
  char of_code[AQ_TARGET_TEXT_SIZE], of_device[AQ_TARGET_TEXT_SIZE];
  if (aq_target_fits(code, device) != AQ_FIT_NONE)
    return AQ_OK;
  aq_target_print(code, of_code);
  aq_target_print(device, of_device);
  const char *what = "processors";
  if (code->processor == device->processor)
    what = feature_fits(code->xnack, device->xnack) ? "SRAM ECC settings"
                                                    : "XNACK settings";
  return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                     "code object for %s does not run on %s: the %s differ",
                     of_code, of_device, what);
}
