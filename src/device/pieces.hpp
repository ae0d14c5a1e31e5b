// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "device/large_pages.hpp"
#include "progress/cancel.hpp"

/// Long serial work with cancellation points (cancel.hpp): a loop, memory that is first touched, a sort. Results are
/// those of the same work in one piece.
namespace dunlin::device {

/// Calls body(begin, end) for consecutive pieces of at most `piece` items that cover [0, n), each after a cancellation
/// point.
template <class Body>
void in_pieces(std::size_t n, std::size_t piece, const Body& body) {
    for (std::size_t begin = 0; begin < n; begin += piece) {
        progress::cancellation_point();
        body(begin, std::min(n, begin + piece));
    }
}

/// values.assign(count, value) with memory in large pages: first touching a gigabyte takes half a second, and several
/// on a busy machine. A vector that is cancelled has fewer values.
template <class Vector>
void assign_in_pieces(Vector& values, std::size_t count, const typename Vector::value_type& value = {}) {
    constexpr std::size_t piece_bytes = std::size_t{4} << 20;
    constexpr std::size_t piece = std::max<std::size_t>(1, piece_bytes / sizeof(value));
    values.clear();
    values.reserve(count);
    advise_large_pages(values.data(), count * sizeof(value));
    in_pieces(count, piece, [&](std::size_t, std::size_t end) { values.resize(end, value); });
}

/// A vector of `count` copies of a value, allocated and filled as by assign_in_pieces().
template <class T>
std::vector<T> in_large_pages(std::size_t count, const T& value) {
    std::vector<T> values;
    assign_in_pieces(values, count, value);
    return values;
}

/// std::sort with a cancellation point after every 65,536 comparisons. After a cancellation the order is unspecified.
template <class Iterator, class Less>
void sort_in_pieces(Iterator begin, Iterator end, const Less& less) {
    constexpr std::size_t comparisons = std::size_t{1} << 16;
    std::size_t left = comparisons;
    std::sort(begin, end, [&](const auto& a, const auto& b) {
        if (--left == 0) {
            left = comparisons;
            progress::cancellation_point();
        }
        return less(a, b);
    });
}

}  // namespace dunlin::device
