# SPDX-License-Identifier: Apache-2.0
# Prints one value of a JSON file: cmake -D file=FILE -D keys="KEY;KEY" -P json.cmake
file(READ "${file}" text)
string(JSON value GET "${text}" ${keys})
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${value}")
