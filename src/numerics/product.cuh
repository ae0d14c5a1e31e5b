// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"

namespace dunlin::numerics {

/// Memory layout of the left factor of a product, rows x inner.
enum class Left { by_rows, by_columns };

/// Products of the chunks of two factors: part p = a_p b_p (rows x cols), where a_p and b_p are columns and rows [p *
/// chunk, (p + 1) * chunk) of a and b (inner x cols, row-major). Parts are stored consecutively, each row-major.
template <class Real>
struct ChunkedProduct {
    Left left = Left::by_columns;
    Index rows = 0, cols = 0, inner = 0;
    const Real *a = nullptr, *b = nullptr;
    Real* parts = nullptr;
    Index stride = 0;  ///< between the rows of a part; at least cols
    Index chunk = 0;
    bool upper_only = false;  ///< entries below the diagonal need not be written

    [[nodiscard]] int count() const { return (inner + chunk - 1) / chunk; }
};

/// Computes all parts, in float or double. Sums have a fixed order, so results are reproducible bit by bit. cuBLAS is
/// not used because its first call takes 80 ms to load, longer than the whole initialization of most maps.
template <class Real>
void multiply_chunks(device::Cuda& cuda, const ChunkedProduct<Real>& product);

/// product.parts = a b. The inner dimension is divided into enough chunks to keep the GPU busy. Their products go to
/// `parts`, which grows as needed, and are added in double.
template <class Real>
void multiply(device::Cuda& cuda, ChunkedProduct<Real> product, device::CudaBuffer<Real>& parts);

}  // namespace dunlin::numerics
