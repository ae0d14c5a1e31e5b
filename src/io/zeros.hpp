// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include <dunlin/types.hpp>

#include "io/bytes.hpp"
#include "io/memory.hpp"

namespace dunlin::io {

/// A dense matrix of zeros for the entries of a sparse file.
class ZeroMatrix {
public:
    ZeroMatrix(const Bytes& bytes, Index rows, Index cols) : rows_(rows), cols_(cols) {
        const std::uint64_t size = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols);
        require_memory(size * sizeof(float), "'" + bytes.name() + "' as a dense matrix of " + std::to_string(rows) +
                                                 " x " + std::to_string(cols));
        values_.reset(static_cast<float*>(std::calloc(size, sizeof(float))), [](float* p) { std::free(p); });
        if (values_ == nullptr) throw std::bad_alloc();
    }
    float& at(Index row, Index col) { return values_.get()[Offset{row} * cols_ + col]; }
    Matrix matrix() { return {rows_, cols_, std::move(values_)}; }

private:
    Index rows_, cols_;
    std::shared_ptr<float> values_;
};

}  // namespace dunlin::io
