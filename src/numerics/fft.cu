// SPDX-License-Identifier: Apache-2.0
#include "numerics/fft.cuh"

namespace dunlin::numerics {

namespace {

struct Root {
    int length;
    Complex* roots;

    __device__ void operator()(Offset k) const {
        const double half_turns = static_cast<double>(k) / length;
        roots[k] = {static_cast<float>(cospi(half_turns)), static_cast<float>(-sinpi(half_turns))};
    }
};

}  // namespace

void fill_roots(device::Cuda& cuda, int length, device::CudaBuffer<Complex>& roots) {
    cuda.resize(roots, static_cast<std::size_t>(length));
    cuda.each(length, Root{length, roots.data()});
}

}  // namespace dunlin::numerics
