# SPDX-License-Identifier: Apache-2.0
# cmake -D FILE=... -D VERSION=... -D ROOT=... -P interface.cmake: writes the header that identifies a build of libdunlin
# and libdunlin_cuda: the version, and a hash of all headers that both are compiled with.
file(GLOB_RECURSE headers ${ROOT}/include/*.hpp ${ROOT}/src/*.hpp)
list(SORT headers)
set(sums "")
foreach(header ${headers})
  file(SHA256 ${header} sum)
  string(APPEND sums ${sum})
endforeach()
string(SHA256 hash "${sums}")
string(SUBSTRING ${hash} 0 12 hash)
file(WRITE ${FILE} "#pragma once\n#define DUNLIN_INTERFACE \"${VERSION}-${hash}\"\n")
