// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <dunlin/types.hpp>

#include "forces/law.hpp"
#include "math/hd.hpp"

/// Rows of maps of more than 3 dimensions. Kernels are compiled for a few widths, and a row is filled up with zeros to
/// the next of them: no force has a part along these axes, so they stay zero.
namespace dunlin::forces {

/// Numbers of a row of a map of `dim` dimensions; 2 on a line (forces/line.hpp).
constexpr int width_of(int dim) {
    if (dim <= 3) return dim == 3 ? 3 : 2;
    int width = 4;
    while (width < dim) width *= 2;
    return width;
}

/// Whether the law has maps of more than 3 dimensions.
template <class Law>
constexpr bool has_wide_maps =
    std::is_same_v<Law, Fuzzy> || std::is_same_v<Law, FurtherPairs> || std::is_same_v<Law, PairLoss>;

/// apply(width) for each width of these maps.
#define DUNLIN_WIDTHS(apply) apply(4) apply(8) apply(16) apply(32) apply(64)

/// Calls work.operator()<W>() of the width W of such a map.
template <class Work>
void with_wide(Index width, const Work& work) {
    if (width == 4) return work.template operator()<4>();
    if (width == 8) return work.template operator()<8>();
    if (width == 16) return work.template operator()<16>();
    if (width == 32) return work.template operator()<32>();
    work.template operator()<64>();
}

/// Calls work.operator()<W>() of the width of a map that this law may have.
template <class Law, class Work>
void with_width(Index width, const Work& work) {
    if (width == 2) return work.template operator()<2>();
    if constexpr (has_wide_maps<Law>) {
        if (width > 3) return with_wide(width, work);
    }
    work.template operator()<3>();
}

/// Copies a number of a row of `dim` to one of `width`; the rest is 0.
struct CopyToWidth {
    const float* from;
    float* to;
    int dim, width;
    DUNLIN_HD void operator()(Offset k) const {
        const Offset row = k / width, axis = k % width;
        to[k] = axis < dim ? from[row * dim + axis] : 0.0F;
    }
};

/// Rows of `dim` numbers as rows of width_of(dim), in the memory of the executor.
template <class Exec>
auto at_width(Exec& exec, const typename Exec::template Buffer<float>& rows, int dim) {
    const int width = width_of(dim);
    typename Exec::template Buffer<float> wide;
    exec.resize(wide, rows.size() / static_cast<std::size_t>(dim) * static_cast<std::size_t>(width));
    exec.each(static_cast<Offset>(wide.size()), CopyToWidth{rows.data(), wide.data(), dim, width});
    return wide;
}

}  // namespace dunlin::forces
