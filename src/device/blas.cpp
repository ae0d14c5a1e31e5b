// SPDX-License-Identifier: Apache-2.0
#include "device/blas.hpp"

namespace dunlin::device {

void hold_blas_to_one_thread() { openblas_set_num_threads(1); }

}  // namespace dunlin::device
