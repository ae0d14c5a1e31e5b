// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace dunlin::device {

/// Asks the system to map memory that was not touched yet in large pages, if it has any: first touching 40 MB page by
/// page takes as long as reading them ten times.
void advise_large_pages(void* begin, std::size_t bytes);

}  // namespace dunlin::device
