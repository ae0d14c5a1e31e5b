// SPDX-License-Identifier: Apache-2.0
#include "picture/shade.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "picture/scale.hpp"

namespace dunlin::picture {

namespace {

/// Values at pixels with at least one disc; {1} if there are none.
std::vector<float> where_covered(const AccumulationBuffer& buffer, const std::vector<float>& values) {
    std::vector<float> covered;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (buffer.count[i] >= 1) covered.push_back(values[i]);
    }
    if (covered.empty()) covered.push_back(1);
    return covered;
}

/// Quantile of the values, which are reordered.
float quantile(std::vector<float>& values, double share) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

/// Box filter of width 2 reach + 1 along a row or column that begins at `first`, with zero padding.
void blur_line(float* first, std::ptrdiff_t step, Offset length, Offset reach, std::vector<float>& line) {
    line.assign(static_cast<std::size_t>(length + 2 * reach + 1), 0.0F);
    for (Offset i = 0; i < length; ++i) line[static_cast<std::size_t>(i + reach)] = first[i * step];
    double sum = 0;
    for (Offset i = 0; i < 2 * reach; ++i) sum += static_cast<double>(line[static_cast<std::size_t>(i)]);
    for (Offset i = 0; i < length; ++i) {
        sum += static_cast<double>(line[static_cast<std::size_t>(i + 2 * reach)]);
        first[i * step] = static_cast<float>(sum / static_cast<double>(2 * reach + 1));
        sum -= static_cast<double>(line[static_cast<std::size_t>(i)]);
    }
}

/// Smoothed number of discs, so that two overlapping discs do not count as a dense region.
std::vector<float> smoothed(device::Cpu& cpu, const AccumulationBuffer& buffer, int reach) {
    std::vector<float> around = buffer.count;
    std::vector<std::vector<float>> line(static_cast<std::size_t>(cpu.threads()));
    for (int pass = 0; pass < 2; ++pass) {
        cpu.blocks(buffer.height, 64, [&](Offset begin, Offset end, int worker) {
            for (Offset y = begin; y < end; ++y) {
                blur_line(around.data() + y * buffer.width, 1, buffer.width, reach,
                          line[static_cast<std::size_t>(worker)]);
            }
        });
        cpu.blocks(buffer.width, 64, [&](Offset begin, Offset end, int worker) {
            for (Offset x = begin; x < end; ++x) {
                blur_line(around.data() + x, buffer.width, buffer.height, reach,
                          line[static_cast<std::size_t>(worker)]);
            }
        });
    }
    return around;
}

}  // namespace

Color depth_tinted(Color color, float nearness, Color paper) { return blend(paper, color, 0.5F + 0.5F * nearness); }

Opacity::Opacity(const Style& style, float dense) : alpha_(style.alpha) {
    if (style.given_alpha || dense <= 1 || alpha_ >= 1) return;
    const float wanted = std::log(0.03F) / std::log(1 - alpha_);
    power_ = std::clamp(std::log(wanted) / std::log(dense), 0.1F, 1.0F);
}

float Opacity::operator()(float count) const {
    if (count <= 1) return count * alpha_;
    return 1 - std::pow(1 - alpha_, std::pow(count, power_));
}

void shade(device::Cpu& cpu, const AccumulationBuffer& buffer, const Style& style, const Look& look, bool labeled,
           Image& image) {
    constexpr double most = 0.98;
    std::vector<float> counts = where_covered(buffer, buffer.count);
    const Opacity opacity(style, quantile(counts, most));
    const std::vector<float> around = smoothed(cpu, buffer, 2 + static_cast<int>(2 * style.diameter));
    std::vector<float> densities = where_covered(buffer, around);
    const float dense = quantile(densities, most), usual = quantile(densities, 0.5);
    const float spread = std::clamp(std::log2(dense / usual) / 3, 0.0F, 1.0F);  // 0: uniform density

    cpu.each(static_cast<Offset>(image.pixels.size()), [&](Offset i) {
        const auto at = static_cast<std::size_t>(i);
        if (buffer.count[at] <= 0) return;
        const float density = std::min(std::log1p(4 * around[at]) / std::log1p(4 * dense), 1.0F);
        const Color color = labeled ? blend(buffer.color[at], look.ink, 0.2F * spread * density * density)
                                    : on_ramp(look.density, 0.5F + spread * (density - 0.5F));
        image.pixels[at] = blend(image.pixels[at], color, std::min(opacity(buffer.count[at]), 1.0F));
    });
}

}  // namespace dunlin::picture
