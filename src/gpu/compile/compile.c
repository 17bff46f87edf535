/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/compile/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/compile/mlir_lower.h"
#include "gpu/compile/mlir_objects.h"
#include "gpu/compile/subprocess.h"
#include "gpu/compile/temp_dir.h"
#include "gpu/compile/tools.h"

typedef struct compilation {
  const aq_compile_ask *ask;
  char *folder;    /* of all files that are made */
  char *to;        /* the code object */
  char *messages;  /* file, or NULL */
  aq_child child;  /* of the compiler */
  char *texts[24]; /* arguments of the child that are made here */
  size_t text_count;
} compilation;

/* Adds an argument of two parts. */
static void add(compilation *c, const char *what, const char *value)
{
  char *text;
  if (c->text_count == sizeof c->texts / sizeof *c->texts ||
      asprintf(&text, "%s%s", what, value) < 0) {
    c->child.count = AQ_CHILD_ARGS + 1; /* the run is refused */
    return;
  }
  c->texts[c->text_count++] = text;
  aq_child_add(&c->child, text);
}

static void add_list(compilation *c, const char *option,
                     const char *const *values)
{
  for (size_t i = 0; values && values[i]; i++) {
    aq_child_add(&c->child, option);
    aq_child_add(&c->child, values[i]);
  }
}

static aq_status tool_add(compilation *c, aq_tool_id id, aq_diag *diag)
{
  char *path;
  aq_status status = aq_tool_find(id, &path, diag);
  if (status == AQ_OK) {
    c->texts[c->text_count++] = path;
    aq_child_add(&c->child, path);
  }
  return status;
}

/* What all compilers take; the source comes last. */
static void common_add(compilation *c)
{
  const aq_compile_ask *ask = c->ask;
  add(c, "-O", ask->level ? ask->level : "3");
  add_list(c, "-D", ask->definitions);
  add_list(c, "-I", ask->includes);
  if (ask->keep)
    add(c, "--save-temps=", "obj");
  aq_child_add(&c->child, "-o");
  aq_child_add(&c->child, c->to);
}

static aq_status plain_check(const aq_compile_ask *ask, const char *kind,
                             aq_diag *diag)
{
  const bool defines = ask->definitions && ask->definitions[0];
  const bool includes = ask->includes && ask->includes[0];
  if (!defines && !includes)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_UNSUPPORTED, "%s: %s has no meaning for %s",
                     ask->path, defines ? "-D" : "-I", kind);
}

/* ---- HIP ---- */

static aq_status hip_compile(compilation *c, aq_diag *diag)
{
  aq_status status = tool_add(c, AQ_TOOL_HIPCC, diag);
  if (status != AQ_OK)
    return status;
  aq_child_add(&c->child, "--genco");
  add(c, "--offload-arch=", c->ask->gfx);
  common_add(c);
  aq_child_add(&c->child, "-x");
  aq_child_add(&c->child, "hip");
  aq_child_add(&c->child, c->ask->path);
  return aq_child_run(&c->child, c->messages, diag);
}

/* ---- LLVM IR and assembly ---- */

static aq_status target_add(compilation *c, const char *language, aq_diag *diag)
{
  aq_status status = tool_add(c, AQ_TOOL_CLANG, diag);
  if (status != AQ_OK)
    return status;
  aq_child_add(&c->child, "--target=amdgcn-amd-amdhsa");
  add(c, "-mcpu=", c->ask->gfx);
  aq_child_add(&c->child, "-nogpulib");
  aq_child_add(&c->child, "-Wno-override-module");
  common_add(c);
  aq_child_add(&c->child, "-x");
  aq_child_add(&c->child, language);
  return AQ_OK;
}

static aq_status assembly_compile(compilation *c, aq_diag *diag)
{
  aq_status status = target_add(c, "assembler-with-cpp", diag);
  if (status != AQ_OK)
    return status;
  aq_child_add(&c->child, c->ask->path);
  return aq_child_run(&c->child, c->messages, diag);
}

/* "gfx90a" is 9010, "gfx1100" 11000: how the device libraries count. */
static unsigned isa_version(const char *gfx)
{
  const size_t length = strcspn(gfx, ":");
  const char *digits = gfx + 3;
  unsigned major = 0, minor = 0, stepping = 0;
  if (length < 6 || strncmp(gfx, "gfx", 3) != 0)
    return 0;
  for (; digits < gfx + length - 2; digits++)
    major = major * 10 + (unsigned)(*digits - '0');
  const char last[2][2] = {{digits[0], 0}, {digits[1], 0}};
  minor = (unsigned)strtoul(last[0], NULL, 16);
  stepping = (unsigned)strtoul(last[1], NULL, 16);
  return major * 1000 + minor * 100 + stepping;
}

/* The constants by which the device libraries are set, with the values that
 * MLIR gives them. */
static aq_status controls_make(compilation *c, char **out, aq_diag *diag)
{
  const struct {
    const char *name, *type;
    unsigned value;
  } controls[] = {{"finite_only_opt", "i8", 0},
                  {"unsafe_math_opt", "i8", 0},
                  {"daz_opt", "i8", 0},
                  {"correctly_rounded_sqrt32", "i8", 1},
                  {"wavefrontsize64", "i8", isa_version(c->ask->gfx) < 10000},
                  {"ISA_version", "i32", isa_version(c->ask->gfx)},
                  {"ABI_version", "i32", 600}};
  compilation inner = {.ask = c->ask};
  char *source = aq_folder_path(c->folder, "controls.ll");
  char *bitcode = aq_folder_path(c->folder, "controls.bc");
  FILE *to = source ? fopen(source, "we") : NULL;
  if (!to || !bitcode) {
    free(source);
    free(bitcode);
    return aq_diag_set(diag, AQ_ERR_IO, "%s: controls.ll cannot be written",
                       c->folder);
  }
  fputs("target triple = \"amdgcn-amd-amdhsa\"\n", to);
  for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
    fprintf(to,
            "@__oclc_%s = linkonce_odr hidden local_unnamed_addr "
            "addrspace(4) constant %s %u\n",
            controls[i].name, controls[i].type, controls[i].value);
  fclose(to);
  aq_status status = tool_add(&inner, AQ_TOOL_CLANG, diag);
  const char *const args[] = {"--target=amdgcn-amd-amdhsa",
                              "-nogpulib",
                              "-Wno-override-module",
                              "-emit-llvm",
                              "-c",
                              "-x",
                              "ir",
                              source,
                              "-o",
                              bitcode};
  for (size_t i = 0; i < sizeof args / sizeof *args; i++)
    aq_child_add(&inner.child, args[i]);
  if (status == AQ_OK)
    status = aq_child_run(&inner.child, c->messages, diag);
  for (size_t i = 0; i < inner.text_count; i++)
    free(inner.texts[i]);
  free(source);
  if (status == AQ_OK)
    *out = bitcode;
  else
    free(bitcode);
  return status;
}

static void builtin_add(compilation *c, const char *folder, const char *name)
{
  aq_child_add(&c->child, "-Xclang");
  aq_child_add(&c->child, "-mlink-builtin-bitcode");
  aq_child_add(&c->child, "-Xclang");
  add(c, folder, name);
}

static aq_status names_libraries(const char *path, bool *out, aq_diag *diag)
{
  char *bytes;
  size_t size;
  aq_status status = aq_file_read(path, &bytes, &size, diag);
  if (status != AQ_OK)
    return status;
  *out = memmem(bytes, size, "__ocml_", 7) || memmem(bytes, size, "__ockl_", 7);
  free(bytes);
  return AQ_OK;
}

/* A clang before 16 does not link builtin bitcode into LLVM IR: the llvm-link
 * beside it does. */
static aq_status ir_link(compilation *c, const char *folder,
                         const char *controls, aq_diag *diag)
{
  compilation linker = {.ask = c->ask}, compiler = {.ask = c->ask, .to = c->to};
  char *tool = NULL, *linked = aq_folder_path(c->folder, "linked.bc");
  aq_status status = linked ? AQ_OK : aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = aq_tool_find_beside(AQ_TOOL_LLVM_LINK, c->texts[0], &tool, diag);
  if (status == AQ_OK) {
    aq_child_add(&linker.child, tool);
    aq_child_add(&linker.child, "--only-needed");
    aq_child_add(&linker.child, "--internalize");
    aq_child_add(&linker.child, "--suppress-warnings");
    aq_child_add(&linker.child, c->ask->path);
    add(&linker, folder, "/ocml.bc");
    add(&linker, folder, "/ockl.bc");
    add(&linker, controls, "");
    aq_child_add(&linker.child, "-o");
    aq_child_add(&linker.child, linked);
    status = aq_child_run(&linker.child, c->messages, diag);
  }
  if (status == AQ_OK)
    status = target_add(&compiler, "ir", diag);
  if (status == AQ_OK) {
    aq_child_add(&compiler.child, linked);
    status = aq_child_run(&compiler.child, c->messages, diag);
  }
  for (size_t i = 0; i < linker.text_count; i++)
    free(linker.texts[i]);
  for (size_t i = 0; i < compiler.text_count; i++)
    free(compiler.texts[i]);
  free(tool);
  free(linked);
  return status;
}

/* Code that calls ocml or ockl gets both, as MLIR links them. */
static aq_status libraries_compile(compilation *c, aq_diag *diag)
{
  char *folder = NULL, *controls = NULL;
  bool left = false;
  aq_status status = aq_device_libraries_find(&folder, diag);
  if (status == AQ_OK)
    status = controls_make(c, &controls, diag);
  if (status == AQ_OK) {
    builtin_add(c, folder, "/ocml.bc");
    builtin_add(c, folder, "/ockl.bc");
    builtin_add(c, controls, "");
    status = aq_child_run(&c->child, c->messages, diag);
  }
  if (status == AQ_OK)
    status = names_libraries(c->to, &left, diag);
  if (status == AQ_OK && left)
    status = ir_link(c, folder, controls, diag);
  free(controls);
  free(folder);
  return status;
}

static aq_status ir_compile(compilation *c, aq_diag *diag)
{
  bool calls = false;
  aq_status status = plain_check(c->ask, "LLVM IR", diag);
  if (status == AQ_OK)
    status = target_add(c, "ir", diag);
  if (status == AQ_OK)
    status = names_libraries(c->ask->path, &calls, diag);
  if (status != AQ_OK)
    return status;
  aq_child_add(&c->child, c->ask->path);
  return calls ? libraries_compile(c, diag)
               : aq_child_run(&c->child, c->messages, diag);
}

/* ---- MLIR ---- */

/* The object of the only GPU module. */
static aq_status object_write(const compilation *c, const aq_lowered *lowered,
                              const char *chip, aq_diag *diag)
{
  aq_mlir_objects objects;
  aq_status status =
      aq_mlir_objects_find(lowered->text, lowered->size, &objects, diag);
  if (status != AQ_OK)
    return status;
  const aq_mlir_object *found = NULL;
  for (size_t i = 0; i < objects.object_count; i++)
    if (strcmp(objects.objects[i].chip, chip) == 0)
      found = found ? found : &objects.objects[i];
  if (objects.binary_count != 1 || !found) {
    status = aq_diag_set(diag, AQ_ERR_INPUT,
                         "%s: %zu GPU modules; launch takes a file with one",
                         c->ask->path, objects.binary_count);
  } else {
    size_t size;
    unsigned char *bytes = aq_mlir_object_bytes(lowered->text, found, &size);
    status = bytes ? aq_file_write(c->to, bytes, size, diag)
                   : aq_diag_no_memory(diag);
    free(bytes);
  }
  aq_mlir_objects_fini(&objects);
  return status;
}

static aq_status mlir_compile(compilation *c, aq_diag *diag)
{
  char chip[32];
  aq_lowered lowered;
  snprintf(chip, sizeof chip, "%.*s", (int)strcspn(c->ask->gfx, ":"),
           c->ask->gfx);
  const aq_lower_ask ask = {.path = c->ask->path,
                            .chip = chip,
                            .form = "fatbin",
                            .keep = c->ask->keep};
  aq_status status = plain_check(c->ask, "MLIR", diag);
  if (status == AQ_OK && c->ask->level)
    status = aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                         "%s: -O has no meaning for MLIR, whose pipeline has "
                         "the level",
                         ask.path);
  if (status == AQ_OK)
    status = aq_lower(&ask, &lowered, diag);
  if (status != AQ_OK)
    return status;
  status = object_write(c, &lowered, chip, diag);
  aq_lowered_fini(&lowered);
  return status;
}

/* ---- all ---- */

static const struct {
  const char *suffix;
  aq_status (*compile)(compilation *c, aq_diag *diag);
} kinds[] = {{".hip", hip_compile},
             {".ll", ir_compile},
             {".bc", ir_compile},
             {".s", assembly_compile},
             {".mlir", mlir_compile}};

static size_t kind_find(const char *path)
{
  const char *dot = strrchr(path, '.');
  size_t i = 0;
  while (i < sizeof kinds / sizeof *kinds &&
         !(dot && strcmp(dot, kinds[i].suffix) == 0))
    i++;
  return i;
}

bool aq_compile_is_source(const char *path)
{
  return kind_find(path) < sizeof kinds / sizeof *kinds;
}

aq_status aq_compile(const aq_compile_ask *ask, aq_compiled *out, aq_diag *diag)
{
  compilation c = {.ask = ask};
  *out = (aq_compiled){0};
  if (access(ask->path, R_OK) != 0)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND, "%s: %m", ask->path);
  aq_status status = ask->keep ? aq_folder_ensure(ask->keep, diag) : AQ_OK;
  if (status == AQ_OK && ask->keep)
    c.folder = strdup(ask->keep);
  else if (status == AQ_OK)
    status = aq_folder_make(&c.folder, diag);
  if (status != AQ_OK)
    return status;
  c.to = c.folder ? aq_folder_path(c.folder, "code.hsaco") : NULL;
  if (ask->keep)
    c.messages = aq_folder_path(ask->keep, "messages.txt");
  status = c.to ? kinds[kind_find(ask->path)].compile(&c, diag)
                : aq_diag_no_memory(diag);
  for (size_t i = 0; i < c.text_count; i++)
    free(c.texts[i]);
  free(c.messages);
  out->path = c.to;
  if (ask->keep)
    free(c.folder);
  else
    out->folder = c.folder;
  if (status != AQ_OK)
    aq_compiled_fini(out);
  return status;
}

bool aq_compile_knows(const aq_compile_ask *ask)
{
  const bool hip = kinds[kind_find(ask->path)].compile == hip_compile;
  compilation c = {.ask = ask};
  if (kinds[kind_find(ask->path)].compile == mlir_compile)
    return true;
  aq_status status = tool_add(&c, hip ? AQ_TOOL_HIPCC : AQ_TOOL_CLANG, NULL);
  aq_child_add(&c.child, hip ? "--genco" : "--target=amdgcn-amd-amdhsa");
  add(&c, hip ? "--offload-arch=" : "-mcpu=", ask->gfx);
  const char *const args[] = {hip ? "-fsyntax-only" : "-nogpulib",
                              "-x",
                              hip ? "hip" : "assembler",
                              "-c",
                              "/dev/null",
                              "-o",
                              "/dev/null"};
  for (size_t i = 0; i < sizeof args / sizeof *args; i++)
    aq_child_add(&c.child, args[i]);
  if (status == AQ_OK)
    status = aq_child_run(&c.child, NULL, NULL);
  for (size_t i = 0; i < c.text_count; i++)
    free(c.texts[i]);
  return status == AQ_OK;
}

void aq_compiled_fini(aq_compiled *compiled)
{
  aq_folder_remove(compiled->folder);
  free(compiled->path);
  *compiled = (aq_compiled){0};
}
