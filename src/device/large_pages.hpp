// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace dunlin::device {

/// Asks the system to map memory that was not touched yet in large pages, if it has any.
void advise_large_pages(void* begin, std::size_t bytes);

/// A vector of so many values, in large pages: first touching 40 MB page by page takes as long as reading them ten
/// times.
template <class T>
std::vector<T> in_large_pages(std::size_t count, const T& value) {
    std::vector<T> values;
    values.reserve(count);
    advise_large_pages(values.data(), count * sizeof(T));
    values.assign(count, value);
    return values;
}

}  // namespace dunlin::device
