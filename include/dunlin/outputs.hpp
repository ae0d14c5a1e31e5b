// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/export.hpp>

namespace dunlin {

/// Removes the temporary files of outputs that are not complete. For a program that is about to end while a function of
/// the library writes; a function that ends, also by an error, removes its own. May be called from any thread, but not
/// from a signal handler.
DUNLIN_API void remove_unfinished_outputs() noexcept;

}  // namespace dunlin
