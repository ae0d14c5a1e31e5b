// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "density/backend.hpp"
#include "density/checks.hpp"
#include "density/estimate.hpp"
#include "density/formulas.hpp"
#include "device/gpus.hpp"
#include "device/points.cuh"
#include "device/resident.cuh"
#include "forces/box.cuh"
#include "forces/grid/points.cuh"
#include "math/at.hpp"
#include "math/float_order.hpp"
#include "numerics/sort.cuh"
#include "progress/cancel.hpp"

namespace dunlin::density {

namespace {

using device::CudaBuffer;
using device::CudaCell;

/// Finds the first value that is not finite.
struct FindInfinite {
    const float* values;
    unsigned long long* first;
    __device__ void operator()(Offset i) const {
        if (!isfinite(values[i])) atomicMin(first, static_cast<unsigned long long>(i));
    }
};

struct AxisMoments {
    const float* values;
    int axis, dim;
    double low, length;
    __device__ Moments operator()(Offset i) const { return moments_of(values[i * dim + axis], low, length); }
};

/// Keys of one coordinate, to be sorted.
struct CoordinateKeys {
    const float* values;
    int axis, dim;
    std::uint32_t* keys;
    __device__ void operator()(Offset i) const {
        keys[i] = math::order_of_bits(__float_as_uint(values[i * dim + axis]));
    }
};

/// Keys of the field at the points; present: null, or 0 for points that are below all others.
template <int D>
struct ValueKeys {
    const float* points;
    forces::GridField grid;
    const float* field;
    Offset strides[D];
    const float* present;
    std::uint32_t* keys;

    __device__ void operator()(Offset i) const {
        float cells[D];
        for (int d = 0; d < D; ++d) cells[d] = (points[i * D + d] - grid.origin[d]) * grid.inverse_spacing;
        const float value = present == nullptr || present[i] > 0 ? value_at<D>(field, strides, cells) : -INFINITY;
        keys[i] = math::order_of_bits(__float_as_uint(value));
    }
};

/// Keys of some ranks among sorted keys, and how many keys are at least as large.
struct ReadRanks {
    const std::uint32_t* keys;
    Offset n;
    const Offset* ranks;
    std::uint32_t* found;
    Offset* at_least;

    __device__ void operator()(Offset r) const {
        const std::uint32_t key = keys[ranks[r]];
        Offset first = 0, last = ranks[r];
        while (first < last) {
            const Offset middle = (first + last) / 2;
            if (keys[middle] < key) {
                first = middle + 1;
            } else {
                last = middle;
            }
        }
        found[r] = key;
        at_least[r] = n - first;
    }
};

using Count = math::Vec<std::int64_t, 1>;

struct ChargeOf {
    const forces::GridCharge* charges;
    __device__ Count operator()(Offset node) const { return {{static_cast<std::int64_t>(charges[node])}}; }
};

struct ScaledCharges {
    const forces::GridCharge* charges;
    float scale;
    float* to;
    __device__ void operator()(Offset node) const {
        to[node] = scale * static_cast<float>(static_cast<long long>(charges[node]));
    }
};

/// Convolution with the taps along one axis. Nodes within their radius of the border are 0 before.
struct FilterAxis {
    const float* from;
    float* to;
    const float* taps;
    Offset stride;
    int along, radius;

    __device__ void operator()(Offset node) const {
        const int at = static_cast<int>(node / stride % along);
        const int first = max(-radius, radius - at), last = min(radius, along - radius - 1 - at);
        const float* values = from + node;
        float sum = 0;
        for (int j = first; j <= last; ++j) sum = fmaf(__ldg(taps + abs(j)), __ldg(values + j * stride), sum);
        to[node] = sum;
    }
};

struct Divide {
    float* sums;
    const float* counts;
    double low, range;
    __device__ void operator()(Offset node) const { sums[node] = mean_of(sums[node], counts[node], low, range); }
};

struct ValueOf {
    const float* values;
    __device__ double operator()(Offset node) const { return static_cast<double>(values[node]); }
};

/// The points in device memory, and the grid.
template <int D>
class CudaEngine {
public:
    using Field = CudaBuffer<float>;

    CudaEngine(device::Cuda& cuda, const float* points, Index n) : cuda_(cuda), points_(points), n_(n) {}

    Survey survey(bool with_scale) {
        CudaCell<forces::DeviceBox<D>> box_cell;
        forces::box_of<D>(cuda_, points_, n_, box_cell);
        const forces::DeviceBox<D> box = cuda_.read(box_cell);
        Survey survey;
        for (int a = 0; a < D; ++a) {
            const std::size_t axis = at(a);
            survey.least[axis] = box.least[a], survey.most[axis] = box.most[a];
            if (!with_scale) continue;
            const double low = static_cast<double>(box.least[a]), length = static_cast<double>(box.most[a]) - low;
            if (!(length > 0)) continue;
            CudaCell<Moments> sums;
            cuda_.sum(n_, AxisMoments{points_, a, D, low, length}, sums);
            survey.variance[axis] = variance_of(cuda_.read(sums), n_, length);
            cuda_.resize(keys_, at(n_));
            cuda_.each(n_, CoordinateKeys{points_, a, D, keys_.data()});
            const auto ranks = quartile_ranks(n_);
            const RankedValues quartiles = read_ranks(ranks);
            survey.interquartile_range[axis] =
                static_cast<double>(quartiles.values[1]) - static_cast<double>(quartiles.values[0]);
        }
        return survey;
    }

    void prepare(const Placement& placement) {
        placement_ = &placement;
        for (int a = 0; a < D; ++a) {
            grid_.origin[a] = placement.corner[at(a)];
            grid_.most[a] = static_cast<float>(placement.nodes[at(a)] - forces::grid_order);
        }
        grid_.inverse_spacing = static_cast<float>(1 / placement.spacing);
        cuda_.set(grid_cell_, grid_);
        cuda_.set(survey_, forces::GridSurvey());
        cuda_.upload(taps_, placement.taps);
        cuda_.resize(plane_, at(placement.size()));
    }

    std::int64_t charge(std::span<const float> weights) {
        cuda_.fill(charges_, at(placement_->size()), forces::GridCharge{0});
        if (!weights.empty()) cuda_.upload(weights_, weights);
        forces::spread(cuda_, {points_, n_, D}, cuda_.address(grid_cell_),
                       {placement_->nodes[0], placement_->nodes[0] * placement_->nodes[1]}, charges_.data(),
                       cuda_.address(survey_), weights.empty() ? nullptr : weights_.data());
        CudaCell<Count> total;
        cuda_.sum(placement_->size(), ChargeOf{charges_.data()}, total);
        return cuda_.read(total).at[0];
    }

    void convolve(double scale, Field& field) {
        const Offset size = placement_->size();
        cuda_.resize(field, at(size));
        // The last of D passes writes the field
        float* from = D % 2 == 0 ? field.data() : plane_.data();
        float* to = D % 2 == 0 ? plane_.data() : field.data();
        cuda_.each(size, ScaledCharges{charges_.data(), static_cast<float>(scale), from});
        Offset stride = 1;
        for (int axis = 0; axis < D; ++axis) {
            const Index along = placement_->nodes[at(axis)];
            cuda_.each(size, FilterAxis{from, to, taps_.data(), stride, along, placement_->radius()});
            stride *= along;
            std::swap(from, to);
        }
    }

    void divide(Field& sums, const Field& counts, double low, double range) {
        cuda_.each(placement_->size(), Divide{sums.data(), counts.data(), low, range});
    }

    double mass(const Field& field) {
        CudaCell<double> sum;
        cuda_.sum(placement_->size(), ValueOf{field.data()}, sum);
        return cuda_.read(sum);
    }

    RankedValues ranked(const Field& field, std::span<const Offset> ranks, std::span<const float> present) {
        if (!present.empty()) cuda_.upload(weights_, present);
        cuda_.resize(keys_, at(n_));
        ValueKeys<D> keys{points_, grid_, field.data(), {}, present.empty() ? nullptr : weights_.data(), keys_.data()};
        Offset stride = 1;
        for (int d = 0; d < D; ++d) keys.strides[d] = std::exchange(stride, stride * placement_->nodes[at(d)]);
        cuda_.each(n_, keys);
        return read_ranks(ranks);
    }

private:
    /// Sorts keys_ and reads the values of these ranks.
    RankedValues read_ranks(std::span<const Offset> ranks) {
        cuda_.resize(spare_, keys_.size());
        numerics::sort_keys(cuda_, keys_, spare_, n_, 0, 32);
        CudaBuffer<Offset> wanted, at_least(ranks.size(), cuda_.stream());
        CudaBuffer<std::uint32_t> found(ranks.size(), cuda_.stream());
        cuda_.upload(wanted, ranks);
        cuda_.each(static_cast<Offset>(ranks.size()),
                   ReadRanks{keys_.data(), n_, wanted.data(), found.data(), at_least.data()});
        RankedValues result;
        for (const std::uint32_t key : cuda_.host(found))
            result.values.push_back(std::bit_cast<float>(math::bits_of_order(key)));
        result.at_least = cuda_.host(at_least);
        return result;
    }

    device::Cuda& cuda_;
    const float* points_;
    Index n_;
    const Placement* placement_ = nullptr;
    forces::GridField grid_{};
    CudaCell<forces::GridField> grid_cell_;
    CudaCell<forces::GridSurvey> survey_;
    CudaBuffer<forces::GridCharge> charges_;
    CudaBuffer<float> taps_, weights_, plane_;
    CudaBuffer<std::uint32_t> keys_, spare_;
};

void check_coordinates(device::Cuda& cuda, const float* points, Index n, Index dim) {
    CudaCell<unsigned long long> first;
    constexpr unsigned long long none = ~0ULL;
    cuda.set(first, none);
    cuda.each(Offset{n} * dim, FindInfinite{points, cuda.address(first)});
    const unsigned long long found = cuda.read(first);
    if (found == none) return;
    float x = 0;
    cuda.copy_out(&x, points + found, sizeof(x));
    refuse_row(static_cast<Offset>(found) / dim, x, static_cast<int>(static_cast<Offset>(found) % dim));
}

template <int D>
void estimate_in(device::Cuda& cuda, const device::InputPoints& map, const float* points, const Options& options,
                 const Given& given, CudaResult& to) {
    CudaEngine<D> engine(cuda, points, map.rows());
    Estimation<CudaEngine<D>> estimation(engine, map.rows(), D, options, cuda.run(), to.result);
    estimation.run(given);
    const auto take = [&](const CudaBuffer<float>& values, ScalarField& field, DeviceMatrix<float>& on_gpu) {
        if (values.size() == 0) return;
        field = estimation.placement().field();
        const auto [nx, ny, nz] = field.nodes;
        if (map.is_resident()) {
            on_gpu = device::matrix_for_caller(cuda, values.data(), ny * nz, nx);
        } else {
            field.values = cuda.host(values);
        }
    };
    take(estimation.field, to.result.field, to.values);
    take(estimation.mean, to.result.mean, to.mean);
    cuda.wait();
}

}  // namespace

CudaResult backend::estimate_on_cuda(const device::InputPoints& map, const Options& options, const Run& run,
                                     const Given& given) {
    device::Cuda cuda(run);
    device::require_gpu_memory(bytes_on_gpu(map, options, !given.values.empty()), device::allowance(cuda),
                               "the density");
    CudaResult to;
    const bool complete = progress::run_cancellable(run.stop, [&] {
        const device::DevicePoints points = device::hold_points(cuda, map);
        check_coordinates(cuda, points.values(), map.rows(), map.cols());
        map.cols() == 2 ? estimate_in<2>(cuda, map, points.values(), options, given, to)
                        : estimate_in<3>(cuda, map, points.values(), options, given, to);
    });
    if (!complete) {
        to = {};
        to.result.options = options;
    }
    to.result.stopped = complete ? Stopped::converged : Stopped::cancelled;
    return to;
}

}  // namespace dunlin::density
