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

double ShrinkingSteps::mean(std::size_t from, std::size_t to) const {
    double sum = 0, count = 0;
    for (std::size_t t = (from + interval_ - 1) / interval_ * interval_; t < to; t += interval_) {
        sum += stresses_[t];
        count += 1;
    }
    return sum / count;
}

void ShrinkingSteps::add(double stress) {
    constexpr double no_fall = 0.99;
    stresses_.push_back(stress);
    const std::size_t n = stresses_.size();
    if (shrinking_ > 0 || n < next_look_) return;
    next_look_ = n + n / 4;
    if (mean(n / 2, n) >= no_fall * mean(n / 4, n / 2)) shrinking_ = n;
}

double ShrinkingSteps::share() const {
    constexpr std::size_t half_life = 32;
    if (shrinking_ == 0) return 1;
    return std::exp2(-1 - static_cast<double>((stresses_.size() - shrinking_) / half_life));
}

}  // namespace dunlin::mds
