// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/error.hpp>

namespace dunlin::app {

constexpr int done = 0;
constexpr int interrupted = 130;  ///< main() makes it that of the signal

/// 2: invalid options; 3: a file cannot be opened, read, parsed or used; 4: device; 5: memory.
constexpr int exit_code(Fault fault) {
    switch (fault) {
        case Fault::bad_input:
            return 2;
        case Fault::bad_file:
            return 3;
        case Fault::no_device:
        case Fault::device_failure:
            return 4;
        case Fault::out_of_memory:
            return 5;
    }
    return 2;
}

}  // namespace dunlin::app
