// SPDX-License-Identifier: Apache-2.0
#include "device/fft.cuh"

namespace dunlin::device {

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

void fill_roots(Cuda& cuda, int length, CudaBuffer<Complex>& roots) {
    cuda.resize(roots, static_cast<std::size_t>(length));
    cuda.each(length, Root{length, roots.data()});
}

}  // namespace dunlin::device
