// SPDX-License-Identifier: Apache-2.0
#include "picture/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <dunlin/error.hpp>

#include "io/fail.hpp"
#include "io/markup.hpp"
#include "picture/palettes.hpp"

namespace dunlin::picture {

namespace {

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
    throw Error(Fault::bad_input, "picture: " + fmt::format(format, std::forward<Args>(args)...));
}

/// Values that stand for the ranks of a legend: of the smallest, the quarters, and the largest.
std::vector<Tick> quantile_ticks(const ColorScale& scale) {
    std::vector<Tick> ticks;
    for (int quarter = 0; quarter <= 4 && !scale.sorted.empty(); ++quarter) {
        const std::size_t at = (scale.sorted.size() - 1) * static_cast<std::size_t>(quarter) / 4;
        const double value = scale.sorted[at];
        if (ticks.empty() || ticks.back().value < value) ticks.push_back({value, fmt::format("{:.4g}", value)});
    }
    return ticks;
}

/// Powers of 10, and of short ranges 2 and 5 times them.
std::vector<Tick> log_ticks(double low, double high, int count) {
    const int first = static_cast<int>(std::floor(std::log10(low))),
              last = static_cast<int>(std::ceil(std::log10(high)));
    const int stride = std::max(1, (last - first + count - 1) / count);
    const bool is_short = std::log10(high) - std::log10(low) < 2;
    std::vector<Tick> ticks;
    for (int power = first; power <= last; power += stride) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double value = factor * std::pow(10, power);
            const bool is_within = value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9);
            if (is_within && (factor == 1 || is_short)) ticks.push_back({value, fmt::format("{:.4g}", value)});
        }
    }
    return ticks.size() > 1 ? ticks : ticks_of(low, high, count);
}

/// The value below which a percentage of the values is, linear between neighbors.
double percentile(const std::vector<double>& sorted, double percentage) {
    const double at = percentage / 100 * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// A number, or p and a percentage.
double end_of_range(std::string_view text, const std::vector<double>& sorted, const std::string& range) {
    const bool is_percentage = text.starts_with('p');
    const std::string_view digits = text.substr(is_percentage ? 1 : 0);
    double value = 0;
    const auto [after, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool is_number = fault == std::errc() && after == digits.data() + digits.size() && std::isfinite(value);
    if (!is_number || (is_percentage && !(value >= 0 && value <= 100)))
        refuse("range is '{}'; it must be LOW,HIGH or percentiles such as p1,p99", io::shown(range));
    return is_percentage ? percentile(sorted, value) : value;
}

void set_range(ColorScale& scale, const std::string& range, const std::vector<double>& sorted) {
    const std::size_t comma = range.find(',');
    const std::string_view all = range;
    const std::string_view first = all.substr(0, comma),
                           second = comma == std::string::npos ? "" : all.substr(comma + 1);
    const double low = end_of_range(first, sorted, range), high = end_of_range(second, sorted, range);
    if (low > high) refuse("range is '{}', whose low end {:g} is above the high one {:g}", io::shown(range), low, high);
    if (scale.by == ValueScale::log && !(low > 0)) refuse("range begins at {:g}, and scale is log; begin above 0", low);
    scale.low = low, scale.high = high;
}

/// The center in the middle of a range that was not given; of a given one it must be within.
void set_center(ColorScale& scale, double center, bool given_range) {
    if (!std::isfinite(center)) refuse("center is {}; it must be finite", center);
    scale.center = center;
    if (!given_range) {
        const double reach = std::max({scale.high - center, center - scale.low, 0.0});
        scale.low = center - reach, scale.high = center + reach;
    } else if (!(scale.low <= center && center <= scale.high)) {
        refuse("center is {:g}, and range is from {:g} to {:g}; give one within", center, scale.low, scale.high);
    }
}

/// 0 to 1 of a range; half of ends whose difference would overflow.
double share(double value, double low, double high) {
    return high > low ? std::clamp((value / 2 - low / 2) / (high / 2 - low / 2), 0.0, 1.0) : 0.5;
}

}  // namespace

Color on_ramp(std::span<const Color> ramp, float place) {
    const std::size_t steps = ramp.size() - 1;
    const float at = place * static_cast<float>(steps);
    const auto step = std::min(static_cast<std::size_t>(at), steps - 1);
    return blend(ramp[step], ramp[step + 1], at - static_cast<float>(step));
}

bool ColorScale::shows(double value) const { return std::isfinite(value) && (by != ValueScale::log || value > 0); }

double ColorScale::place(double value) const {
    if (by == ValueScale::log) return share(std::log(value), std::log(low), std::log(high));
    if (by == ValueScale::rank) {
        const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
        const auto middle = static_cast<double>((first - sorted.begin()) + (last - sorted.begin())) / 2;
        return share(middle, 0.5, static_cast<double>(sorted.size()) - 0.5);
    }
    if (!center || !(high > low)) return share(value, low, high);
    if (value < *center) return share(value, low, *center) / 2;
    return value > *center ? 0.5 + share(value, *center, high) / 2 : 0.5;
}

std::vector<Tick> ColorScale::ticks(int count) const {
    if (by == ValueScale::rank) return quantile_ticks(*this);
    if (by == ValueScale::log && high > low) return log_ticks(low, high, count);
    return ticks_of(low, high, count);
}

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

ColorScale empty_scale(const std::string& name) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {io::clean_text(name), infinity, -infinity};
}

void widen(ColorScale& scale, std::span<const double> values) {
    for (const double value : values) {
        if (!scale.shows(value)) continue;
        scale.low = std::min(scale.low, value);
        scale.high = std::max(scale.high, value);
    }
}

void close(ColorScale& scale) {
    if (!(scale.low <= scale.high)) scale.low = scale.high = 0;
}

ColorScale scale_of(std::span<const double> values, const std::string& name, const Options& options) {
    ColorScale scale = empty_scale(name);
    scale.ramp = scale_colors(options);
    scale.by = options.scale;
    if (options.center && scale.by != ValueScale::linear)
        refuse("center is given, and scale is {}; it is for linear ones", name_of(scale.by));
    if (!options.range.empty() && scale.by == ValueScale::rank)
        refuse("range is given, and scale is rank, which shows all values; leave one out");
    widen(scale, values);
    const bool has_values = scale.low <= scale.high;
    if (!has_values && scale.by == ValueScale::log && !values.empty() &&
        std::any_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
        refuse("scale is log, and no value is above 0; leave it out");
    close(scale);
    if (!has_values) return scale;
    if (!options.range.empty() || scale.by == ValueScale::rank) {
        for (const double value : values)
            if (scale.shows(value)) scale.sorted.push_back(value);
        std::sort(scale.sorted.begin(), scale.sorted.end());
    }
    if (!options.range.empty()) set_range(scale, options.range, scale.sorted);
    if (options.center) set_center(scale, *options.center, !options.range.empty());
    if (scale.by != ValueScale::rank) scale.sorted = {};
    return scale;
}

}  // namespace dunlin::picture
