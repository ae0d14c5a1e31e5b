// SPDX-License-Identifier: Apache-2.0
#include "mds/forces/stopping_rule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace dunlin::mds {

namespace {

double sinc(double x) { return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x); }

}  // namespace

std::vector<double> low_pass(int taps) {
    const double middle = (taps - 1) / 2.0, cut_off = 2.0 / taps;  // in cycles per iteration
    std::vector<double> h;
    for (int k = 0; k < taps; ++k) {
        const double window = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * (k + 1) / (taps + 1));
        h.push_back(window * sinc(2 * cut_off * (k - middle)));
    }
    const double sum = std::accumulate(h.begin(), h.end(), 0.0);
    for (double& tap : h) tap /= sum;
    return h;
}

FilteredStoppingRule::FilteredStoppingRule(Until until)
    : until_(until), taps_(low_pass(until == Until::stress ? 50 : 21)) {}

void FilteredStoppingRule::add(double value) {
    raw_.push_back(value);
    if (raw_.size() < taps_.size()) return;
    filtered_.push_back(std::inner_product(taps_.begin(), taps_.end(), raw_.end() - std::ssize(taps_), 0.0));
    highest_ = std::max(highest_, filtered_.back());
}

bool FilteredStoppingRule::is_met(double fraction) const {
    constexpr std::ptrdiff_t slope_window = 10;
    constexpr double little = 1e-4;
    if (std::ssize(filtered_) <= slope_window) return false;
    const auto recent = filtered_.end() - slope_window - 1;
    if (until_ == Until::stress) {
        const auto moves = [](double before, double now) { return std::abs(now - before) >= little; };
        return std::adjacent_find(recent, filtered_.end(), moves) == filtered_.end();
    }
    const bool falls_little = *recent - filtered_.back() <= fraction * highest_;
    return falls_little && std::is_sorted(recent, filtered_.end(), std::greater<>());
}

}  // namespace dunlin::mds
