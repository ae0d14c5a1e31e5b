// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cblas.h>

namespace dunlin::device {

/// OpenBLAS gives other bytes for other numbers of threads, so it is held to one: our own loops run its calls side by
/// side on fixed tiles. Call before the first use in a public function; cheap when repeated.
void hold_blas_to_one_thread();

}  // namespace dunlin::device
