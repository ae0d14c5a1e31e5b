// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include <dunlin/error.hpp>

#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "sequences/matchings.hpp"
#include "sequences/pair_distances.hpp"

namespace dunlin::sequences {

namespace {

constexpr double largest = 1e18;  ///< of a dissimilarity, as mds has it

template <class... Args>
[[noreturn]] void refuse(Offset row, fmt::format_string<Args...> format, Args&&... args) {
    throw Error(Fault::bad_input, fmt::format(format, std::forward<Args>(args)...), {.row = row});
}

void check_position(const Tracks& items, Index item, const double* position) {
    for (int c = 0; c < items.dim; ++c) {
        if (!std::isfinite(position[c]))
            refuse(item, "item {} has a position that is not finite; correct it or leave it out", item);
    }
    if (items.geographic && std::abs(position[0]) > 90) {
        refuse(item, "item {} has the latitude {}; it must be from -90 to 90: latitudes come before longitudes", item,
               position[0]);
    }
}

void check(const Tracks& items, const Options& options) {
    if (items.dim < 1) refuse(-1, "positions have {} coordinates; they need at least 1", items.dim);
    if (items.geographic && items.dim != 2)
        refuse(-1, "positions have {} coordinates; on the sphere there are 2, latitude and longitude", items.dim);
    if (options.metric == Metric::great_circle && !items.geographic) {
        throw Error(Fault::bad_input,
                    "metric is great-circle, which is of latitudes and longitudes; name these columns lat and lon, or "
                    "use frechet",
                    {.option = "metric"});
    }
    for (Index i = 0; i < items.size(); ++i) {
        if (items.length(i) < 1) refuse(i, "item {} has no position; leave it out", i);
        if (options.metric == Metric::great_circle && items.length(i) > 1) {
            refuse(i, "item {} has {} positions; great-circle is the distance of two: use frechet, hausdorff or dtw", i,
                   items.length(i));
        }
        for (Offset p = items.offsets[at(i)]; p < items.offsets[at(i) + 1]; ++p)
            check_position(items, i, items.positions.data() + p * items.dim);
    }
}

/// Latitude and longitude in degrees as a unit vector.
std::array<double, 3> on_sphere(double latitude, double longitude) {
    constexpr double degree = std::numbers::pi / 180;
    const double phi = latitude * degree, lambda = longitude * degree;
    return {std::cos(phi) * std::cos(lambda), std::cos(phi) * std::sin(lambda), std::sin(phi)};
}

struct TrackMemory : ItemDistances::ThreadMemory {
    std::vector<double> space;
};

class TrackDistances : public ItemDistances {
public:
    TrackDistances(const Tracks& items, const Options& options)
        : metric_(*options.metric),
          squared_(metric_ == Metric::dtw && options.cost == WarpingCost::square),
          geographic_(items.geographic),
          dim_(items.geographic ? 3 : items.dim),
          offsets_(items.offsets),
          stride_(items.offsets.back()) {
        longest_ = 1;
        for (Index i = 0; i < items.size(); ++i) longest_ = std::max(longest_, items.length(i));
        band_ = options.band ? Offset{*options.band} : longest_;
        copy_positions(items);
        for (Index i = 0; i < size(); ++i) set_extremes(i);
        require_range();
    }

    [[nodiscard]] Index size() const override { return static_cast<Index>(offsets_.size()) - 1; }
    [[nodiscard]] Index rows_at_once() const override { return 1; }
    [[nodiscard]] std::unique_ptr<ThreadMemory> workspace() const override { return std::make_unique<TrackMemory>(); }

    [[nodiscard]] std::vector<Index> order() const override {
        std::vector<Index> items(at(size()));
        std::iota(items.begin(), items.end(), 0);
        std::stable_sort(items.begin(), items.end(), [&](Index i, Index j) { return length(i) < length(j); });
        return items;
    }

    [[nodiscard]] double seconds_of_all() const override {
        constexpr double of_pair = 1e-7, of_cell = 2e-9;
        const double n = size(), positions = static_cast<double>(stride_);
        const double width = std::min(1.0, static_cast<double>(2 * band_ + 1) / static_cast<double>(longest_));
        return (of_pair * n * n + of_cell * positions * positions * width) / 2;
    }

    void tile(ThreadMemory& workspace, std::span<const Index> rows, std::span<const Index> columns,
              float* out) const override {
        auto& space = dynamic_cast<TrackMemory&>(workspace).space;
        for (const Index i : rows) {
            for (const Index j : columns) *out++ = static_cast<float>(i == j ? 0.0 : between(i, j, space));
            progress::cancellation_point();
        }
    }

    [[nodiscard]] ItemArrays arrays() const override {
        return TrackArrays{forward_, extremes_, offsets_, dim_, metric_, squared_, geographic_, band_};
    }

private:
    [[nodiscard]] Offset length(Index i) const { return offsets_[at(i) + 1] - offsets_[at(i)]; }

    void copy_positions(const Tracks& items) {
        forward_.resize(at(Offset{dim_} * stride_));
        reversed_.resize(forward_.size());
        for (Index i = 0; i < size(); ++i) {
            const Offset begin = offsets_[at(i)], end = offsets_[at(i) + 1];
            for (Offset p = begin; p < end; ++p) {
                const double* position = items.positions.data() + p * items.dim;
                std::array<double, 3> unit{};
                if (geographic_) {
                    unit = on_sphere(position[0], position[1]);
                    position = unit.data();
                }
                for (int c = 0; c < dim_; ++c) {
                    forward_[at(c * stride_ + p)] = position[c];
                    reversed_[at(c * stride_ + begin + end - 1 - p)] = position[c];
                }
            }
        }
    }

    void set_extremes(Index i) {
        extremes_.resize(at(Offset{2} * size() * dim_));
        for (int c = 0; c < dim_; ++c) {
            const auto begin = forward_.begin() + c * stride_;
            const auto [least, most] = std::minmax_element(begin + offsets_[at(i)], begin + offsets_[at(i) + 1]);
            extremes_[at(Offset{i} * dim_ + c)] = *least;
            extremes_[at(Offset{size() + i} * dim_ + c)] = *most;
        }
    }

    /// Refuses positions so far apart that a sum of distances leaves the range of dissimilarities.
    void require_range() const {
        if (geographic_ || size() == 0) return;
        double square = 0;
        for (int c = 0; c < dim_; ++c) {
            const auto begin = forward_.begin() + c * stride_;
            const auto [least, most] = std::minmax_element(begin, begin + stride_);
            square += (*most - *least) * (*most - *least);
        }
        const double bound = std::sqrt(square) * 2 * static_cast<double>(longest_);
        if (bound <= largest) return;
        refuse(-1, "distances could be up to {:.3g}; at most {:g} can be worked with: scale the positions", bound,
               largest);
    }

    [[nodiscard]] bool is_short(Index i, Index j) const {
        const double *const least = extremes_.data(), *const most = least + Offset{size()} * dim_;
        return are_near(least + Offset{i} * dim_, most + Offset{i} * dim_, least + Offset{j} * dim_,
                        most + Offset{j} * dim_, dim_);
    }

    [[nodiscard]] Positions positions(const std::vector<double>& of, Index i) const {
        return {of.data() + offsets_[at(i)], stride_, length(i)};
    }

    [[nodiscard]] double between(Index i, Index j, std::vector<double>& space) const {
        if (metric_ == Metric::hausdorff) {
            return distance_of_square(
                largest_square_to_nearest(positions(forward_, i), positions(forward_, j), dim_, space), geographic_);
        }
        if (length(i) > length(j)) std::swap(i, j);
        Matching pair{positions(forward_, i), positions(reversed_, j), dim_, Ground::square, false, band_};
        if (metric_ != Metric::dtw) return distance_of_square(least_maximum(pair, space), geographic_);
        pair.ground = warping_ground(geographic_, squared_, geographic_ && is_short(i, j));
        pair.squared = geographic_ && squared_;
        return warping_distance(least_sum(pair, space), squared_);
    }

    Metric metric_;
    bool squared_, geographic_;
    int dim_;
    std::vector<Offset> offsets_;
    Offset stride_, longest_ = 1, band_ = 0;
    std::vector<double> forward_, reversed_;  ///< [axis][position]
    std::vector<double> extremes_;            ///< as TrackArrays
};

}  // namespace

std::shared_ptr<const ItemDistances> pair_distances(const Tracks& items, Options& options) {
    options.metric = options.metric.value_or(Metric::frechet);
    if (*options.metric == Metric::edit) {
        throw Error(Fault::bad_input,
                    "metric is edit, which is of strings; these items are tracks: use dtw, frechet or hausdorff",
                    {.option = "metric"});
    }
    check(items, options);
    return std::make_shared<TrackDistances>(items, options);
}

}  // namespace dunlin::sequences
