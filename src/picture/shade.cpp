#include "picture/shade.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace dunlin::picture {

namespace {

/// The count below which 98 of 100 pixels lie that at least one disc covers.
float dense_count(const Heap& heap) {
    std::vector<float> counts;
    for (const float count : heap.count) {
        if (count >= 1) counts.push_back(count);
    }
    if (counts.empty()) return 1;
    const auto at = counts.begin() + static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(counts.size() - 1));
    std::nth_element(counts.begin(), at, counts.end());
    return *at;
}

Color on_ramp(float density) {
    constexpr std::size_t steps = density_ramp.size() - 1;
    const float place = density * static_cast<float>(steps);
    const auto step = std::min(static_cast<std::size_t>(place), steps - 1);
    return blend(density_ramp[step], density_ramp[step + 1], place - static_cast<float>(step));
}

}  // namespace

Color depth_tinted(Color color, float nearness) { return blend(white, color, 0.5F + 0.5F * nearness); }

Shade::Shade(const Heap& heap, const Style& style) : alpha_(style.alpha) {
    dense_ = dense_count(heap);
    if (style.given_alpha || dense_ <= 1 || alpha_ >= 1) return;
    // Opacities of c discs multiply to 1 - (1 - alpha)^c. Where many lie that would be black everywhere, so c is
    // replaced by a power of it that leaves 0.97 to the dense places.
    const float wanted = std::log(0.03F) / std::log(1 - alpha_);
    power_ = std::clamp(std::log(wanted) / std::log(dense_), 0.1F, 1.0F);
}

float Shade::opacity(float count) const {
    if (count <= 1) return count * alpha_;
    return 1 - std::pow(1 - alpha_, std::pow(count, power_));
}

float Shade::density(float count) const {
    if (count <= 1 || dense_ <= 2) return 0;
    return std::min(std::log(count) / std::log(dense_), 1.0F);
}

Image shaded(device::Cpu& cpu, const Heap& heap, const Style& style, bool labelled) {
    const Shade shade(heap, style);
    Image image{heap.width, heap.height, std::vector<Color>(heap.color.size(), white)};
    cpu.each(static_cast<Offset>(image.pixels.size()), [&](Offset i) {
        const auto at = static_cast<std::size_t>(i);
        if (heap.count[at] <= 0) return;
        const float density = shade.density(heap.count[at]);
        const Color color = labelled ? blend(heap.color[at], Color{}, 0.2F * density * density) : on_ramp(density);
        image.pixels[at] = blend(white, color, std::min(shade.opacity(heap.count[at]), 1.0F));
    });
    return image;
}

}  // namespace dunlin::picture
