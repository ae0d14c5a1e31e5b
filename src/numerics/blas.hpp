// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cblas.h>

namespace dunlin::numerics {

/// Limits OpenBLAS to one thread, because its results depend on the number of threads. Our own loops call it in
/// parallel on fixed tiles. Call before the first use of BLAS in a public function; repeated calls are cheap.
/// Throws Error{out_of_memory} if the address space is limited and has no room for its buffers.
void hold_blas_to_one_thread();

}  // namespace dunlin::numerics
