# SPDX-License-Identifier: MIT
# The JUnit files of GPU tests in FOLDER: with STEP clear, an empty folder; with
# STEP merge, FOLDER/junit.xml with the test suites of all of them.
if(STEP STREQUAL clear)
  file(REMOVE_RECURSE "${FOLDER}")
  file(MAKE_DIRECTORY "${FOLDER}")
  return()
endif()
file(GLOB files "${FOLDER}/*.xml")
list(REMOVE_ITEM files "${FOLDER}/junit.xml")
list(SORT files)
set(suites "")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" text)
  string(FIND "${text}" "<testsuite " begin)
  string(FIND "${text}" "</testsuite>" end REVERSE)
  if(begin EQUAL -1 OR end EQUAL -1)
    set(suite "<testsuite name=\"${name}\" tests=\"1\" failures=\"0\" errors=\"1\">
<testcase classname=\"aqueduct\" name=\"${name}\">
<error message=\"it was killed before it wrote a result\"/>
</testcase>
</testsuite>")
  else()
    math(EXPR length "${end} + 12 - ${begin}")
    string(SUBSTRING "${text}" ${begin} ${length} suite)
    # One program on two devices is two test cases.
    string(REPLACE "classname=\"aqueduct.exec\"" "classname=\"aqueduct.${name}\"" suite
           "${suite}")
  endif()
  string(APPEND suites "${suite}\n")
endforeach()
file(WRITE "${FOLDER}/junit.xml"
     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n${suites}</testsuites>\n")
