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

FftPlan fft_stages(int length) {
    FftPlan plan{.length = length};
    int odd = length;
    while (odd % 2 == 0) odd /= 2;
    int even = length / odd, shift = 0;
    const auto take_out = [&](int& rest, unsigned radix) {
        for (; rest % static_cast<int>(radix) == 0; rest /= static_cast<int>(radix), shift += 4) {
            plan.radices |= radix << shift;
        }
    };
    for (const unsigned radix : {8U, 4U, 2U}) take_out(even, radix);
    for (const unsigned radix : {5U, 3U}) take_out(odd, radix);
    return plan;
}

void fill_roots(Cuda& cuda, int length, CudaBuffer<Complex>& roots) {
    cuda.resize(roots, static_cast<std::size_t>(length));
    cuda.each(length, Root{length, roots.data()});
}

}  // namespace dunlin::device
