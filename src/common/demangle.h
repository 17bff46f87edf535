/* SPDX-License-Identifier: MIT */
/*
 * C++ names of kernels as people write them, by the demangler of the C++
 * runtime library: the one in the process, else libstdc++.so.6 opened when the
 * first name asks for it. Any thread.
 */
#ifndef AQ_COMMON_DEMANGLE_H
#define AQ_COMMON_DEMANGLE_H

#include <stdbool.h>

/* The demangled form of an Itanium C++ ABI name ("_Z…", with or without a
 * kernel descriptor's ".kd"), the caller's to free. NULL: the name is not
 * mangled, or no demangler is there, or memory is out; the name then stays as
 * it is. */
char *aq_demangle(const char *name);

/* Whether a person may mean a name by a text: the name itself, its demangled
 * form, or that without its parameters and the type that it returns:
 * "scale<float>(float*, int)" and "scale<float>" mean _Z5scaleIfEvPT_i. */
bool aq_name_is(const char *name, const char *text);

/* The name of the library whose demangler serves, or NULL without one. */
const char *aq_demangler(void);

#endif
