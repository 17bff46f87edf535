/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangle_function(const char *name, char *out, size_t *length,
                                int *status);

static demangle_function *function;
static const char *library;

static void function_load(void)
{
  static const char symbol[] = "__cxa_demangle", file[] = "libstdc++.so.6";
  void *found = dlsym(RTLD_DEFAULT, symbol);
  if (found) {
    library = "the process";
  } else {
    void *opened = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    found = opened ? dlsym(opened, symbol) : NULL;
    library = found ? file : NULL;
  }
  memcpy(&function, &found, sizeof function);
}

const char *aq_demangler(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, function_load);
  return library;
}

char *aq_demangle(const char *name)
{
  if (strncmp(name, "_Z", 2) != 0 || !aq_demangler())
    return NULL;
  const size_t length = strlen(name);
  const size_t suffix =
      length > 3 && strcmp(name + length - 3, ".kd") == 0 ? 3 : 0;
  char *bare = strndup(name, length - suffix);
  int status = -1;
  char *text = bare ? function(bare, NULL, NULL, &status) : NULL;
  free(bare);
  return status == 0 ? text : NULL;
}

/* The parenthesis that opens the parameters, which end the text, or NULL. */
static char *parameters_find(char *text)
{
  char *at = strrchr(text, ')');
  int depth = 0;
  for (; at && at >= text; at--) {
    depth += (*at == ')') - (*at == '(');
    if (depth == 0)
      return at;
  }
  return NULL;
}

bool aq_name_is(const char *name, const char *text)
{
  if (strcmp(name, text) == 0)
    return true;
  char *whole = aq_demangle(name);
  if (!whole)
    return false;
  bool same = strcmp(whole, text) == 0;
  char *parameters = parameters_find(whole);
  if (!same && parameters) {
    *parameters = 0;
    /* The name behind the type that a function returns, which templates have.
     */
    int depth = 0;
    char *bare = whole;
    for (char *at = whole; *at; at++) {
      depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
      if (depth == 0 && *at == ' ')
        bare = at + 1;
    }
    same = strcmp(bare, text) == 0;
    *parameters = '('; /* "scale<float>(float*, int)" */
    same = same || strcmp(bare, text) == 0;
  }
  free(whole);
  return same;
}
