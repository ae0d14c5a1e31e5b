// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace dunlin::device {

/// Advises the system to map memory that was not touched yet in large pages, if it has any. The first touch of 40 MB in
/// small pages takes as long as reading them ten times.
void advise_large_pages(void* begin, std::size_t bytes);

}  // namespace dunlin::device
