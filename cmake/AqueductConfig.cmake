# SPDX-License-Identifier: MIT
# find_package(Aqueduct): GPU tests without a GPU.
#
#   Aqueduct_EXECUTABLE, Aqueduct::aqueduct   the command
#   Aqueduct_EMULATOR                         it, in front of a program
#   aqueduct_add_gpu_test(...)                below
#
# With -DAQUEDUCT_EMULATOR_DEVICE=mi210 (or AQUEDUCT_EMULATOR_DEVICE set before
# find_package), CMAKE_CROSSCOMPILING_EMULATOR becomes Aqueduct_EMULATOR: every
# add_test() of a target that is made afterwards runs on that device, tests of the
# host included.

get_filename_component(_aqueduct_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(Aqueduct_EXECUTABLE aqueduct HINTS "${_aqueduct_prefix}/bin"
             NO_DEFAULT_PATH DOC "the command aqueduct")
find_program(Aqueduct_EXECUTABLE aqueduct)
if(NOT Aqueduct_EXECUTABLE)
  set(Aqueduct_FOUND FALSE)
  set(Aqueduct_NOT_FOUND_MESSAGE
      "no command aqueduct in ${_aqueduct_prefix}/bin or in PATH")
  return()
endif()
if(NOT TARGET Aqueduct::aqueduct)
  add_executable(Aqueduct::aqueduct IMPORTED)
  set_target_properties(Aqueduct::aqueduct PROPERTIES IMPORTED_LOCATION
                        "${Aqueduct_EXECUTABLE}")
endif()
set(_aqueduct_folder "${CMAKE_CURRENT_LIST_DIR}")

set(Aqueduct_EMULATOR "${Aqueduct_EXECUTABLE}" exec --host-only allow)
if(AQUEDUCT_EMULATOR_DEVICE)
  list(APPEND Aqueduct_EMULATOR --device "${AQUEDUCT_EMULATOR_DEVICE}" --)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${Aqueduct_EMULATOR}")
else()
  list(APPEND Aqueduct_EMULATOR --)
endif()

# Tests that clear the JUnit files before the first GPU test, and merge them behind
# the last one, into aqueduct/junit.xml of the top build folder.
function(_aqueduct_add_junit)
  get_property(there GLOBAL PROPERTY _aqueduct_junit)
  if(there)
    return()
  endif()
  set_property(GLOBAL PROPERTY _aqueduct_junit TRUE)
  foreach(step clear merge)
    add_test(NAME aqueduct.junit.${step}
             COMMAND ${CMAKE_COMMAND} -DSTEP=${step}
                     -DFOLDER=${CMAKE_BINARY_DIR}/aqueduct
                     -P ${_aqueduct_folder}/AqueductJUnit.cmake)
    set_tests_properties(aqueduct.junit.${step} PROPERTIES LABELS aqueduct)
  endforeach()
  set_tests_properties(aqueduct.junit.clear PROPERTIES FIXTURES_SETUP aqueduct.junit)
  set_tests_properties(aqueduct.junit.merge PROPERTIES FIXTURES_CLEANUP aqueduct.junit)
endfunction()

# aqueduct_add_gpu_test(NAME name COMMAND program [argument...]
#                       [DEVICES device...] [TIMEOUT seconds]
#                       [CHECK check...] [SUPPRESS file] [OPTIONS option...]
#                       [LABELS label...] [ENVIRONMENT NAME=value...]
#                       [PROCESSORS n] [LOCK name...] [WORKING_DIRECTORY folder]
#                       [HOST_ONLY])
#
# A test of `aqueduct exec` for each device, called name.device (name alone
# without DEVICES: the program's code chooses the device). `program` is a target,
# or a file. Its labels are gpu, the device, and LABELS.
#
# TIMEOUT ends the program and names the instruction of a kernel that still runs;
# CTest's own timeout is 30 s later. CHECK is of `exec --check` (memory, race...,
# or all): a finding fails the test. OPTIONS are further options of `exec`. Tests
# of one LOCK (of a file, a port) never run at once. HOST_ONLY: the test passes,
# too, if the program never opens HSA.
function(aqueduct_add_gpu_test)
  set(one NAME TIMEOUT SUPPRESS PROCESSORS WORKING_DIRECTORY)
  set(many COMMAND DEVICES CHECK OPTIONS LABELS ENVIRONMENT LOCK)
  cmake_parse_arguments(PARSE_ARGV 0 test HOST_ONLY "${one}" "${many}")
  if(test_UNPARSED_ARGUMENTS OR test_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "aqueduct_add_gpu_test: "
            "${test_UNPARSED_ARGUMENTS}${test_KEYWORDS_MISSING_VALUES}: expected "
            "HOST_ONLY, or a value behind each of ${one};${many}")
  endif()
  if("${test_NAME}" STREQUAL "" OR "${test_COMMAND}" STREQUAL "")
    message(FATAL_ERROR "aqueduct_add_gpu_test: expected NAME and COMMAND")
  endif()
  foreach(number TIMEOUT PROCESSORS)
    if(DEFINED test_${number} AND NOT test_${number} MATCHES "^[1-9][0-9]*$")
      message(FATAL_ERROR "aqueduct_add_gpu_test(${test_NAME}): ${number} "
              "${test_${number}}: expected a whole number above 0")
    endif()
  endforeach()

  list(POP_FRONT test_COMMAND program)
  if(TARGET "${program}")
    set(program "$<TARGET_FILE:${program}>")
  endif()
  set(options ${test_OPTIONS})
  if(test_HOST_ONLY)
    list(APPEND options --host-only allow)
  endif()
  if(test_TIMEOUT)
    list(APPEND options --timeout "${test_TIMEOUT}s")
    math(EXPR limit "${test_TIMEOUT} + 30")
  endif()
  if(test_CHECK)
    list(JOIN test_CHECK , checks)
    list(APPEND options "--check=${checks}")
  endif()
  if(test_SUPPRESS)
    get_filename_component(file "${test_SUPPRESS}" ABSOLUTE)
    list(APPEND options --suppress "${file}")
  endif()

  _aqueduct_add_junit()
  if(NOT test_DEVICES)
    set(test_DEVICES by-code)
  endif()
  foreach(device IN LISTS test_DEVICES)
    set(name ${test_NAME})
    set(choice)
    if(NOT device STREQUAL by-code)
      get_filename_component(short "${device}" NAME)
      set(name "${test_NAME}.${short}")
      set(choice --device "${device}")
    endif()
    string(MAKE_C_IDENTIFIER "${name}" file)
    add_test(NAME "${name}"
             COMMAND "${Aqueduct_EXECUTABLE}" exec ${choice} ${options}
                     --junit "${CMAKE_BINARY_DIR}/aqueduct/${file}.xml" --
                     "${program}" ${test_COMMAND})
    set_tests_properties("${name}" PROPERTIES
      LABELS "gpu;${device};${test_LABELS}" FIXTURES_REQUIRED aqueduct.junit
      ENVIRONMENT "${test_ENVIRONMENT}" RESOURCE_LOCK "${test_LOCK}")
    if(limit)
      set_tests_properties("${name}" PROPERTIES TIMEOUT ${limit})
    endif()
    if(test_PROCESSORS)
      set_tests_properties("${name}" PROPERTIES PROCESSORS ${test_PROCESSORS})
    endif()
    if(test_WORKING_DIRECTORY)
      set_tests_properties("${name}" PROPERTIES WORKING_DIRECTORY
                           "${test_WORKING_DIRECTORY}")
    endif()
  endforeach()
endfunction()
