// SPDX-License-Identifier: Apache-2.0
#include "kmedoids/swaps.hpp"

#include <algorithm>
#include <limits>

#include "kmedoids/savings.hpp"
#include "math/at.hpp"

namespace dunlin::kmedoids {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

}  // namespace

Medoids::Medoids(device::Cpu& cpu, const SampleRows& rows, std::vector<Index> medoids)
    : rows_(rows), medoids_(std::move(medoids)), is_medoid_(at(rows.size())), removal_losses_(medoids_.size()) {
    const std::size_t n = at(rows.size());
    nearest_ = {std::vector<float>(n), std::vector<float>(n), std::vector<Index>(n), std::vector<Index>(n)};
    for (const Index medoid : medoids_) is_medoid_[at(medoid)] = true;
    cpu.each(rows.size(), [&](Offset item) { find_nearest(static_cast<Index>(item)); }, 1024);
    find_removal_losses();
}

void Medoids::find_nearest(Index item) {
    float first = infinity, second = infinity;
    Index cluster = -1, next = -1;
    for (std::size_t k = 0; k < medoids_.size(); ++k) {
        const float d = rows_.row(medoids_[k])[item];
        if (d < first || cluster < 0) {
            second = first;
            next = cluster;
            first = d;
            cluster = static_cast<Index>(k);
        } else if (d < second || next < 0) {
            second = d;
            next = static_cast<Index>(k);
        }
    }
    nearest_.first[at(item)] = first;
    nearest_.second[at(item)] = second;
    nearest_.cluster[at(item)] = cluster;
    nearest_.next_cluster[at(item)] = next;
}

void Medoids::find_removal_losses() {
    std::fill(removal_losses_.begin(), removal_losses_.end(), 0.0);
    for (std::size_t o = 0; o < nearest_.first.size(); ++o) {
        removal_losses_[at(nearest_.cluster[o])] +=
            static_cast<double>(nearest_.second[o]) - static_cast<double>(nearest_.first[o]);
    }
}

double Medoids::inertia() const {
    double sum = 0;
    for (const float d : nearest_.first) sum += static_cast<double>(d);
    return sum;
}

Change Medoids::change_by(Index candidate, std::vector<double>& losses) const {
    const float* const d = rows_.row(candidate);
    if (medoids_.size() == 1) {
        double sum = 0;
        for (std::size_t o = 0; o < nearest_.first.size(); ++o)
            sum += static_cast<double>(d[o]) - static_cast<double>(nearest_.first[o]);
        return {sum, 0};
    }
    losses = removal_losses_;
    double gained = 0;
    constexpr Offset block = 512;
    std::array<double, block> saved;
    std::array<Index, block> some;
    for (Offset begin = 0; begin < rows_.size(); begin += block) {
        const Offset count = std::min<Offset>(block, rows_.size() - begin);
        gained +=
            find_savings(d + begin, nearest_.first.data() + begin, nearest_.second.data() + begin, count, saved.data());
        std::size_t found = 0;
        for (Offset i = 0; i < count; ++i) {
            some[found] = static_cast<Index>(i);
            found += saved[at(i)] != 0 ? 1 : 0;
        }
        for (std::size_t f = 0; f < found; ++f) losses[at(nearest_.cluster[at(begin + some[f])])] += saved[at(some[f])];
    }
    const auto best = std::min_element(losses.begin(), losses.end());
    return {*best + gained, static_cast<Index>(best - losses.begin())};
}

void Medoids::replace(Index cluster, Index item) {
    is_medoid_[at(medoids_[at(cluster)])] = false;
    is_medoid_[at(item)] = true;
    medoids_[at(cluster)] = item;
    const float* const row = rows_.row(item);
    for (Index o = 0; o < rows_.size(); ++o) {
        const std::size_t i = at(o);
        if (nearest_.cluster[i] == cluster || nearest_.next_cluster[i] == cluster) {
            find_nearest(o);
        } else if (row[o] < nearest_.first[i]) {
            nearest_.second[i] = nearest_.first[i];
            nearest_.next_cluster[i] = nearest_.cluster[i];
            nearest_.first[i] = row[o];
            nearest_.cluster[i] = cluster;
        } else if (row[o] < nearest_.second[i]) {
            nearest_.second[i] = row[o];
            nearest_.next_cluster[i] = cluster;
        }
    }
    find_removal_losses();
}

}  // namespace dunlin::kmedoids
