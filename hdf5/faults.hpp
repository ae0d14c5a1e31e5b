// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace dunlin::hdf5 {

/// Ends the process with a sentence where HDF5 itself fails on a damaged file, which would end it without one: a text's
/// place in a heap, say, is followed without a look, and cannot be checked from outside. Signals of other threads go to
/// the handlers that were there before, which are back after the scope.
class FaultScope {
public:
    FaultScope();
    ~FaultScope();
    FaultScope(const FaultScope&) = delete;
    FaultScope& operator=(const FaultScope&) = delete;

    /// The file of the sentence.
    static void name(const char* file);

private:
    stack_t former_stack_{};
};

}  // namespace dunlin::hdf5
