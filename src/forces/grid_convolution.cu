#include <algorithm>

#include "device/gpus.hpp"
#include "forces/grid_convolution.cuh"

namespace dunlin::forces {

namespace {

void cufft_check(cufftResult status, std::source_location where = std::source_location::current()) {
    if (status != CUFFT_SUCCESS) device::fail_on_gpu("cuFFT failed", where);
}

/// Charges as floats, in the corner of the padded grid; and the charges back to zero.
struct PadCharges {
    int nx, ny;
    CudaGridStrides strides;
    GridCharge* charges;
    float* padded;

    __device__ void operator()(Offset i) const {
        const auto node = static_cast<int>(i);
        const int x = node % nx, y = node / nx % ny, z = node / nx / ny;
        padded[x + y * strides.row + z * strides.plane] =
            static_cast<float>(static_cast<long long>(charges[i])) * (1.0F / (1 << charge_bits));
        charges[i] = 0;
    }
};

struct MultiplyHarmonics {
    int nx, ny, nz;
    const float* spectrum;
    float2* harmonics;

    __device__ void operator()(Offset i) const {
        const int x = static_cast<int>(i % (nx + 1)), row = static_cast<int>(i / (nx + 1));
        const int across = row % (2 * ny), along = row / (2 * ny);
        const int y = min(across, 2 * ny - across), z = min(along, 2 * nz - along);
        const float factor = spectrum[(z * (ny + 1) + y) * (nx + 1) + x];
        harmonics[i].x *= factor, harmonics[i].y *= factor;
    }
};

}  // namespace

CudaGridConvolution::~CudaGridConvolution() { drop_plans(); }

void CudaGridConvolution::drop_plans() {
    if (forward_ != 0) cufftDestroy(forward_);
    if (backward_ != 0) cufftDestroy(backward_);
    forward_ = backward_ = 0;
}

void CudaGridConvolution::prepare(device::Cuda& cuda, const GridShape& shape) {
    if (shape.nodes == shape_.nodes) return;
    shape_ = shape;
    drop_plans();
    const auto [nx, ny, nz] = shape.nodes;
    int padded[3] = {2 * nz, 2 * ny, 2 * nx};
    int* lengths = shape.dim == 2 ? padded + 1 : padded;
    const Offset rows = shape.dim == 2 ? Offset{2} * ny : Offset{4} * ny * nz;
    cuda.fill(charges_, static_cast<std::size_t>(Offset{nx} * ny * nz), GridCharge{0});
    cuda.fill(padded_, static_cast<std::size_t>(rows * 2 * nx), 0.0F);
    cuda.resize(potential_, padded_.size());
    cuda.resize(harmonics_, static_cast<std::size_t>(rows * (nx + 1)));
    std::size_t bytes[2] = {};
    for (int way = 0; way < 2; ++way) {
        cufftHandle& plan = way == 0 ? forward_ : backward_;
        cufft_check(cufftCreate(&plan));
        cufft_check(cufftSetAutoAllocation(plan, 0));
        cufft_check(cufftMakePlanMany(plan, shape.dim, lengths, nullptr, 1, 0, nullptr, 1, 0,
                                      way == 0 ? CUFFT_R2C : CUFFT_C2R, 1, bytes + way));
    }
    cuda.resize(work_, std::max({bytes[0], bytes[1], std::size_t{1}}));
    for (const cufftHandle plan : {forward_, backward_}) cufft_check(cufftSetWorkArea(plan, work_.data()));
}

CudaGridStrides CudaGridConvolution::charge_strides() const {
    return {shape_.nodes[0], shape_.nodes[0] * shape_.nodes[1]};
}

CudaGridStrides CudaGridConvolution::potential_strides() const {
    return {2 * shape_.nodes[0], 4 * shape_.nodes[0] * shape_.nodes[1]};
}

void CudaGridConvolution::run(device::Cuda& cuda, const float* spectrum) {
    const auto [nx, ny, nz] = shape_.nodes;
    cuda.each(static_cast<Offset>(charges_.size()),
              PadCharges{nx, ny, potential_strides(), charges_.data(), padded_.data()});
    for (const cufftHandle plan : {forward_, backward_}) cufft_check(cufftSetStream(plan, cuda.stream()));
    cufft_check(cufftExecR2C(forward_, padded_.data(), reinterpret_cast<cufftComplex*>(harmonics_.data())));
    cuda.each(static_cast<Offset>(harmonics_.size()),
              MultiplyHarmonics{nx, ny, shape_.dim == 2 ? 0 : nz, spectrum, harmonics_.data()});
    cufft_check(cufftExecC2R(backward_, reinterpret_cast<cufftComplex*>(harmonics_.data()), potential_.data()));
}

}  // namespace dunlin::forces
