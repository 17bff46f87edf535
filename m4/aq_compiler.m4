# Compiler and linker checks that only this project needs.

# AQ_PROG_CC_WARNINGS
# Puts the warning flags this compiler knows into AQ_WARN_CFLAGS; maintainer
# mode turns them into errors.
AC_DEFUN([AQ_PROG_CC_WARNINGS], [
  AQ_WARN_CFLAGS=
  for aq_flag in -Wall -Wextra -Wno-psabi -Wshadow -Wstrict-prototypes \
      -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wundef \
      -Wwrite-strings -Wno-missing-field-initializers; do
    aq_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $aq_flag"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
      [AQ_WARN_CFLAGS="$AQ_WARN_CFLAGS $aq_flag"])
    CFLAGS=$aq_save_CFLAGS
  done
  AS_IF([test "x$USE_MAINTAINER_MODE" = xyes],
    [AQ_WARN_CFLAGS="$AQ_WARN_CFLAGS -Werror"])
  AC_SUBST([AQ_WARN_CFLAGS])
])

# AQ_CC_C11_ATOMICS
# Rings and signals are shared memory: 64-bit atomics must be lock free.
AC_DEFUN([AQ_CC_C11_ATOMICS], [
  AC_CACHE_CHECK([for lock-free 64-bit C11 atomics], [aq_cv_c11_atomics],
    [AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <stdatomic.h>
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "lock free");]])],
      [aq_cv_c11_atomics=yes], [aq_cv_c11_atomics=no])])
  AS_IF([test "$aq_cv_c11_atomics" = no],
    [AC_MSG_ERROR([a C11 compiler with lock-free 64-bit atomics is needed])])
])

# AQ_LD_VERSION_SCRIPT
# Symbols outside src/aqueduct.map stay local to the library.
AC_DEFUN([AQ_LD_VERSION_SCRIPT], [
  AC_CACHE_CHECK([for -Wl,--version-script], [aq_cv_ld_version_script],
    [aq_save_LDFLAGS=$LDFLAGS
     echo 'AQ_TEST { global: main; local: *; };' > conftest.map
     LDFLAGS="$LDFLAGS -Wl,--version-script=conftest.map"
     AC_LINK_IFELSE([AC_LANG_PROGRAM()],
       [aq_cv_ld_version_script=yes], [aq_cv_ld_version_script=no])
     LDFLAGS=$aq_save_LDFLAGS
     rm -f conftest.map])
  AM_CONDITIONAL([HAVE_VERSION_SCRIPT],
    [test "$aq_cv_ld_version_script" = yes])
])

# AQ_SANITIZERS
# --enable-sanitizers=address,undefined: instrument the whole build.
AC_DEFUN([AQ_SANITIZERS], [
  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers=LIST],
      [compile with -fsanitize=LIST])],
    [aq_sanitizers=$enableval], [aq_sanitizers=])
  AS_IF([test "x$aq_sanitizers" != x && test "x$aq_sanitizers" != xno],
    [CFLAGS="$CFLAGS -fsanitize=$aq_sanitizers -fno-omit-frame-pointer"
     CFLAGS="$CFLAGS -fno-sanitize-recover=all"])
  AC_SUBST([aq_sanitizers])
])

# AQ_POSIX_THREADS
# Threads of POSIX; a separate library only on old C libraries.
AC_DEFUN([AQ_POSIX_THREADS], [
  AC_SEARCH_LIBS([pthread_create], [pthread], [],
    [AC_MSG_ERROR([POSIX threads are needed])])
])
