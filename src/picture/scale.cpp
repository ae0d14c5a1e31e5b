// SPDX-License-Identifier: Apache-2.0
#include "picture/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dunlin::picture {

Color on_ramp(std::span<const Color> ramp, float place) {
    const std::size_t steps = ramp.size() - 1;
    const float at = place * static_cast<float>(steps);
    const auto step = std::min(static_cast<std::size_t>(at), steps - 1);
    return blend(ramp[step], ramp[step + 1], at - static_cast<float>(step));
}

double ColorScale::place(double value) const {
    return high > low ? std::clamp((value / 2 - low / 2) / (high / 2 - low / 2), 0.0, 1.0) : 0.5;
}

Color ColorScale::color(double place) { return on_ramp(value_ramp, static_cast<float>(place)); }

std::vector<Tick> ticks_of(double low, double high, int count) {
    if (!(high > low)) return {{low, fmt::format("{:.4g}", low)}};
    const double rough = (high / 2 - low / 2) / count * 2, power = std::pow(10, std::floor(std::log10(rough)));
    const double step = power * (rough <= power ? 1 : rough <= 2 * power ? 2 : rough <= 5 * power ? 5 : 10);
    std::vector<Tick> ticks;
    constexpr int most = 101;  // of a range below the rounding of its ends
    const double first = std::ceil(low / step - 1e-9);
    for (int i = 0; i < most && first + i <= high / step + 1e-9; ++i) {
        const double k = first + i, value = k == 0 ? 0 : k * step;
        ticks.push_back({value, fmt::format("{:.10g}", value)});
    }
    return ticks;
}

}  // namespace dunlin::picture
