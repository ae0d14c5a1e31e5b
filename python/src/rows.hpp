// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/sparse.hpp>

#include "arrays.hpp"

namespace dunlin::python {

// The rows of a call are dense (FloatMatrix) or sparse (the tuple of sparse_view_of): overloads of one name.
inline MatrixView<const float> rows_of(const FloatMatrix& points) { return view_of(points); }
inline SparseView rows_of(const nb::tuple& points) { return sparse_view_of(points); }

}  // namespace dunlin::python
