// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "live/steered_loop.hpp"
#include "math/at.hpp"
#include "math/hd.hpp"

namespace dunlin::live {

struct PutBack {
    const Index* rows;
    const float* homes;
    float* y;
    int dim;
    DUNLIN_HD void operator()(Offset k) const { y[Offset{rows[k / dim]} * dim + k % dim] = homes[k]; }
};

/// Holds points that acts pinned, for a loop without fixed points: put_back() resets them after every iteration. order:
/// number of the point in each row of the coordinates. Empty: row i is point i.
template <class Exec>
class HeldPoints {
public:
    explicit HeldPoints(std::span<const Index> order = {}) : row_of_(order.size()) {
        for (std::size_t row = 0; row < order.size(); ++row) row_of_[at(order[row])] = static_cast<Index>(row);
    }

    /// Applies an act pin, free or nudge. buffer: coordinates, n x dim.
    void move(Exec& exec, typename Exec::template Buffer<float>& buffer, int dim, const Act& act) {
        const auto& values = exec.host(buffer);
        std::vector<float> y(values.begin(), values.end());
        const std::size_t axes = at(dim);
        const bool moves = moves_points(act);
        for (std::size_t i = 0; i < act.points.size(); ++i) {
            const Index row = row_of_.empty() ? act.points[i] : row_of_[at(act.points[i])];
            float* place = y.data() + at(row) * axes;
            for (std::size_t c = 0; moves && c < axes; ++c) place[c] = place_after(act, i, c, axes, place[c]);
            const bool was_held = homes_.erase(row) > 0;
            if (act.verb == Verb::pin || (act.verb == Verb::nudge && was_held))
                homes_[row] = std::vector<float>(place, place + axes);
        }
        exec.upload(buffer, std::span<const float>(y));
        std::vector<Index> rows;
        std::vector<float> homes;
        for (const auto& [row, home] : homes_) {
            rows.push_back(row);
            homes.insert(homes.end(), home.begin(), home.end());
        }
        exec.upload(rows_there_, std::span<const Index>(rows));
        exec.upload(homes_there_, std::span<const float>(homes));
    }

    void put_back(Exec& exec, typename Exec::template Buffer<float>& y, int dim) {
        if (homes_.empty()) return;
        exec.each(static_cast<Offset>(homes_there_.size()),
                  PutBack{rows_there_.data(), homes_there_.data(), y.data(), dim});
    }

private:
    std::vector<Index> row_of_;
    std::map<Index, std::vector<float>> homes_;
    typename Exec::template Buffer<Index> rows_there_;
    typename Exec::template Buffer<float> homes_there_;
};

}  // namespace dunlin::live
