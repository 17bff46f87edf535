/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/code_json.h"

#include <stdlib.h>

#include "common/demangle.h"

static void arg_json(aq_json_out *json, const aq_code_arg *arg)
{
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "name", arg->name);
  aq_json_out_text(json, "type", arg->type);
  aq_json_out_int(json, "offset", arg->offset);
  aq_json_out_int(json, "size", arg->size);
  aq_json_out_text(json, "kind", arg->kind);
  aq_json_out_text(json, "address_space", arg->space);
  aq_json_out_text(json, "access", arg->access);
  aq_json_out_bool(json, "hidden", arg->hidden);
  aq_json_out_close_map(json);
}

static void kernel_json(aq_json_out *json, const aq_code_kernel *k)
{
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "name", k->name);
  char *demangled = aq_demangle(k->name);
  aq_json_out_text(json, "demangled", demangled);
  free(demangled);
  aq_json_out_text(json, "symbol", k->symbol);
  aq_json_out_int(json, "kernarg_size", k->kernarg_size);
  aq_json_out_int(json, "kernarg_align", k->kernarg_align);
  aq_json_out_int(json, "group_size", k->group_size);
  aq_json_out_int(json, "private_size", k->private_size);
  aq_json_out_int(json, "workgroup_max", k->workgroup_max);
  aq_json_out_int(json, "wave_size", k->wave_size);
  aq_json_out_int(json, "sgprs", k->sgprs);
  aq_json_out_int(json, "vgprs", k->vgprs);
  aq_json_out_int(json, "agprs", k->agprs);
  aq_json_out_bool(json, "dynamic_stack", k->dynamic_stack);
  aq_json_out_bool(json, "described", k->has_metadata);
  aq_json_out_bool(json, "defined", k->has_descriptor);
  aq_json_out_array(json, "arguments");
  for (size_t i = 0; i < k->arg_count; i++)
    arg_json(json, &k->args[i]);
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}

void aq_codeobj_json(aq_json_out *json, const char *id, const aq_codeobj *code)
{
  char target[AQ_TARGET_TEXT_SIZE];
  aq_target_print(&code->target, target);
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "entry", id);
  aq_json_out_text(json, "target", target);
  aq_json_out_int(json, "generic_version", code->target.generic_version);
  aq_json_out_int(json, "version", code->version);
  aq_json_out_array(json, "kernels");
  for (size_t i = 0; i < code->kernel_count; i++)
    kernel_json(json, &code->kernels[i]);
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}
