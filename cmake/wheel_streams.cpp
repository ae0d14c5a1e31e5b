// SPDX-License-Identifier: Apache-2.0
// Debian's libcairo.a is not position-independent: in a shared library it cannot read the variables stderr and stdout
// of the C library. cmake/wheel.cmake has it read these in their place.
#include <cstdio>

extern "C" {
__attribute__((visibility("hidden"))) std::FILE* dunlin_stderr = stderr;
__attribute__((visibility("hidden"))) std::FILE* dunlin_stdout = stdout;
}
