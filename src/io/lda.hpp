// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <dunlin/types.hpp>

#include "io/bytes.hpp"

namespace dunlin::io {

/// Calls use(id, count) for each pair of LDA-C lines, and end_document() after each line; returns the number of words.
Index each_lda_count(const Bytes& bytes, const std::function<void(Offset, float)>& use,
                     const std::function<void()>& end_document);

}  // namespace dunlin::io
