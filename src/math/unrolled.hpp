#pragma once

#include <cstddef>
#include <utility>

namespace dunlin::math {

/// step(0) ... step(N - 1), written out: small arrays become registers, and the loop around it can vectorise.
template <int N, class Step>
[[gnu::always_inline]] inline void unrolled(const Step& step) {
    [&]<std::size_t... i>(std::index_sequence<i...>) { (step(i), ...); }(std::make_index_sequence<N>{});
}

}  // namespace dunlin::math
