# AQ_OPTIONAL_MODULE(VARIABLE, OPTION, PKG-CONFIG MODULE, WHAT IT GIVES)
# --with-OPTION / --without-OPTION for a library that is used when present.
# Sets have_VARIABLE to yes or no, defines HAVE_VARIABLE, substitutes
# VARIABLE_CFLAGS and VARIABLE_LIBS.
AC_DEFUN([AQ_OPTIONAL_MODULE], [
  AC_ARG_WITH([$2],
    [AS_HELP_STRING([--without-$2], [do without $2: $4])],
    [], [with_$2=auto])
  have_$1=no
  AS_IF([test "x$with_$2" != xno],
    [PKG_CHECK_MODULES([$1], [$3], [have_$1=yes],
      [AS_IF([test "x$with_$2" = xyes],
        [AC_MSG_ERROR([--with-$2 was given but $3 was not found])])])])
  AS_IF([test "x$have_$1" = xyes],
    [AC_DEFINE([HAVE_$1], [1], [$2 is there: $4])])
])
