// SPDX-License-Identifier: Apache-2.0
#include "mds/smacof/pull.cuh"

#include "math/at.hpp"
#include "mds/smacof/pair_sums.cuh"
#include "mds/smacof/pull.hpp"

namespace dunlin::mds {

namespace {

using device::Cuda;

/// Error, and force along `axes` coordinates from `first` on.
template <int Dim>
struct PullTally {
    static constexpr int axes = Dim > 0 ? Dim : 4, size = axes + 1;
    int first, dim;

    __device__ void add(float* sums, float delta, float w, float d2, const float* here, const float* there) const {
        const auto term = stress::majorization_term(d2, delta, w);
        sums[0] += term.error2;
#pragma unroll
        for (int a = 0; a < axes; ++a) {
            const int c = Dim > 0 ? a : first + a;
            if (Dim > 0 || c < dim) sums[1 + a] += term.strength * (here[c] - there[c]);
        }
    }
};

template <int Dim>
struct Pulled {
    RowSums<PullTally<Dim>::size> sums;
    PullTally<Dim> tally;
    Subset moving;
    Index first_row;
    float* force;
    double* error;
    __device__ void operator()(Offset row) const {
        const auto sum = sums[row];
        const Offset i = moving[first_row + static_cast<Index>(row)];
        error[i] = sum.at[0];
        for (int a = 0; a < PullTally<Dim>::axes && tally.first + a < tally.dim; ++a)
            force[i * tally.dim + tally.first + a] = static_cast<float>(sum.at[1 + a]);
    }
};

struct ShareOf {
    const double* values;
    double share;
    __device__ double operator()(Offset i) const { return share * values[i]; }
};

struct WeightTally {
    static constexpr int size = 1;
    __device__ void add(float* sums, float delta, float w, float, const float*, const float*) const {
        if (delta >= 0) sums[0] += w;
    }
};

struct StepOf {
    RowSums<1> sums;
    Items items;
    const float* weights;
    double relaxation;
    float* step;
    __device__ void operator()(Offset i) const {
        const auto item = static_cast<Index>(i);
        const double own = weights == nullptr ? 1.0 : static_cast<double>(weights[i * padded(items.n) + item]);
        const bool with_itself = items.kind != DissimilarityKind::given || items.row(item)[item] >= 0;
        step[i] = step_of(sums[i].at[0] - (with_itself ? own : 0.0), relaxation);
    }
};

struct StressTally {
    static constexpr int size = 4;
    __device__ void add(float* sums, float delta, float, float d2, const float*, const float*) const {
        const auto terms = stress::stress_terms(d2, delta);
        sums[0] += terms.error2;
        sums[1] += terms.d2;
        sums[2] += terms.d_error;
        sums[3] += terms.delta2;
    }
};

struct StressRow {
    RowSums<4> sums;
    StressSums* rows;
    __device__ void operator()(Offset r) const {
        const auto sum = sums[r];
        rows[r] = {sum.at[0], sum.at[1], sum.at[2], sum.at[3]};
    }
};

/// Forces and errors of some consecutive rows of those that move.
void pull_rows(Cuda& cuda, const Items& items, const float* weights, const Subset& moving, const device::Slice& slice,
               Configuration<Cuda>& configuration) {
    const auto first_row = static_cast<Index>(slice.begin), rows = static_cast<Index>(slice.size());
    if (rows == 0) return;
    PairSumInput input{items, weights, configuration.y.data(), configuration.dim, moving.items, rows};
    input.first_row = first_row;
    input.all_rows = moving.items == nullptr ? configuration.n : moving.count;
    with_dim(configuration.dim, [&]<int Dim>() {
        for (int first = 0; first < configuration.dim; first += PullTally<Dim>::axes) {
            const PullTally<Dim> tally{first, configuration.dim};
            const auto sums = sum_over_pairs<Dim>(cuda, input, tally, configuration.parts);
            cuda.each(rows, Pulled<Dim>{sums, tally, moving, first_row, configuration.force.data(),
                                        configuration.error.data()});
        }
    });
}

void add_errors(Cuda& cuda, const Subset& moving, Configuration<Cuda>& configuration) {
    const double share = moving.items == nullptr ? 0.5 : 1.0;
    cuda.sum(configuration.n, ShareOf{configuration.error.data(), share}, configuration.stress);
}

}  // namespace

void pull_all(Cuda& cuda, const CudaItems& items, Configuration<Cuda>& configuration) {
    if (items.ranks == nullptr || items.moving.items != nullptr)
        return pull_all(cuda, items.source->items(), items.weights, items.moving, configuration);
    pull_share(cuda, *items.ranks, configuration, [&](const device::Slice& own) {
        pull_rows(cuda, items.source->items(), items.weights, items.moving, own, configuration);
    });
    add_errors(cuda, items.moving, configuration);
}

void pull_all(Cuda& cuda, const Items& items, const float* weights, const Subset& moving,
              Configuration<Cuda>& configuration) {
    const Index rows = moving.items == nullptr ? configuration.n : moving.count;
    pull_rows(cuda, items, weights, moving, {0, rows}, configuration);
    add_errors(cuda, moving, configuration);
}

device::CudaBuffer<float> steps(Cuda& cuda, const CudaItems& items, double relaxation) {
    const Index n = items.source->size();
    device::CudaBuffer<float> step;
    if (items.weights == nullptr && items.source->complete()) {
        cuda.fill(step, static_cast<std::size_t>(n), static_cast<float>(relaxation / n));
        return step;
    }
    device::CudaBuffer<float> nowhere;
    device::CudaBuffer<double> parts;
    cuda.fill(nowhere, static_cast<std::size_t>(n), 0.0F);
    cuda.resize(step, static_cast<std::size_t>(n));
    const PairSumInput input{items.source->items(), items.weights, nowhere.data(), 1, nullptr, n};
    const auto sums = sum_over_pairs<1>(cuda, input, WeightTally{}, parts);
    cuda.each(n, StepOf{sums, input.items, items.weights, relaxation, step.data()});
    return step;
}

std::vector<StressSums> stress_rows(Cuda& cuda, const DeviceSource& source, const float* y, int dim,
                                    std::span<const Index> rows) {
    device::CudaBuffer<Index> on_device;
    device::CudaBuffer<double> parts;
    cuda.upload(on_device, rows);
    const auto count = static_cast<Index>(rows.size());
    device::CudaBuffer<StressSums> sums(rows.size(), cuda.stream());
    const PairSumInput input{source.items(), nullptr, y, dim, on_device.data(), count};
    with_dim(dim, [&]<int Dim>() {
        cuda.each(count, StressRow{sum_over_pairs<Dim>(cuda, input, StressTally{}, parts), sums.data()});
    });
    return cuda.host(sums);
}

}  // namespace dunlin::mds
