// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

#include <dunlin/threads.hpp>

#include "png.hpp"
#include "raster.hpp"
#include "world.hpp"

/// A still of the scene, drawn on the CPU in the passes of the page, with simpler shading (the formulas are explained
/// in page/). The bytes are the same for any number of threads.
namespace scene {

class Still {
public:
    Still(const World& world, const View& view, int width, int its_threads)
        : world_(world), eye_(view.eye), target_(view.target), width_(width), threads_(its_threads) {
        sun_.camera.parallel = true;
        mirrored_.camera.mirror = -1;
        sun_.draw(world.models, false);
        scene_.draw(world.models, true);
        mirrored_.draw(world.models, false);
        smoke_.draw({world.smoke.frames.front()}, true);
    }

    /// Rows of sRGB: each pixel is the mean of four.
    [[nodiscard]] std::vector<std::uint8_t> draw() const {
        std::vector<std::uint8_t> rgb(3 * std::size_t(width_) * std::size_t(high_));
        each_rows(high_, threads_, [&](int first, int last) {
            for (int p = first * width_; p < last * width_; ++p) {
                const int x = 2 * (p % width_), y = 2 * (p / width_);
                const Vec upper = shown(color(x, y)) + shown(color(x + 1, y));
                const Vec sum = 63.75 * (upper + shown(color(x, y + 1)) + shown(color(x + 1, y + 1)));
                for (std::size_t c = 0; c < 3; ++c) rgb[3 * std::size_t(p) + c] = std::uint8_t(std::lround(sum[c]));
            }
        });
        return rgb;
    }

private:
    static constexpr Vec sunlight{2.5, 2.0, 1.4}, skylight{0.28, 0.385, 0.56}, ground{0.16, 0.15, 0.09};

    static Vec shown(Vec color) {
        for (double& c : color) {
            c *= 0.82;
            c = std::pow(std::clamp(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0), 1 / 2.2);
        }
        return color;
    }
    static Vec linear(const Vec& c) { return {std::pow(c[0], 2.2), std::pow(c[1], 2.2), std::pow(c[2], 2.2)}; }
    [[nodiscard]] double noise(double x, double y) const { return textures_.at(noise_layer, x, y); }

    [[nodiscard]] Vec air(const Vec& d) const {
        const double to_sun = std::max(dot(d, world_.sun), 0.0), up = std::max(d[2], 0.0);
        return mix({0.43, 0.53, 0.65}, {0.045, 0.13, 0.36}, 1 - std::exp(-3.6 * up)) +
               (0.40 * std::pow(to_sun, 5) * std::exp(-3 * up) + 0.25 * std::pow(to_sun, 40)) * Vec{1, 0.66, 0.34};
    }
    [[nodiscard]] Vec sky(const Vec& d) const {
        const double away = 0.11 / (std::max(d[2], 0.0) + 0.16), x = away * d[0], y = away * d[1];
        const double cloud = 0.62 * noise(x, y) + 0.38 * noise(3.1 * x, 3.1 * y),
                     around = std::atan2(d[1], d[0]) / 2 / pi;
        const Vec bright = mix({0.98, 0.93, 0.87}, {0.52, 0.56, 0.64}, smooth(0.6, 0.9, cloud));
        Vec c = mix(air(d), bright, 0.85 * smooth(0.50, 0.78, cloud) * smooth(0, 0.14, d[2]));
        for (const double i : {0.0, 1.0, 2.0}) {
            const double ridge = 0.8 * noise((2 + i) * around, 0.17 + 0.3 * i) + 0.25 * noise(9 * around, 0.4 * i);
            const Vec rock = Vec{0.20, 0.29, 0.42} - 0.03 * i * Vec{1, 1, 1};
            if (d[2] < (0.115 - 0.03 * i) * ridge - 0.012) c = mix(rock, air(unit({d[0], d[1], 0})), 0.60 - 0.17 * i);
        }
        return c;
    }
    [[nodiscard]] Vec foggy(const Vec& color, const Vec& at) const {
        const double far = length(at - eye_), clear = std::exp(-0.0011 * far - std::pow(0.0012 * far, 2));
        const Vec d = unit(at - eye_);
        return mix(air({d[0], d[1], std::max(d[2], 0.0)}), color, clear);
    }
    [[nodiscard]] double sunny(const Vec& at) const {
        const Vec p = sun_.camera.project(at);
        double sum = 0;
        for (const int i : {0, 1, 2, 3}) {
            const Pixel& nearest = sun_.at(int(p[0] - 0.6 + 1.2 * (i / 2)), int(p[1] - 0.6 + 1.2 * (i % 2)));
            sum += double(nearest.depth) > p[2] - 0.35 ? 0.25 : 0;
        }
        return sum;
    }

    [[nodiscard]] Vec terrain_color(const Vec& at, const Vec& n) const {
        const double mask = 0.6 * noise(at[0] / 90, at[1] / 90) + 0.4 * noise(at[0] / 13, at[1] / 13) - 0.5;
        const double steep = std::hypot(n[0], n[1]) / n[2], rock = 26 * smooth(0.45, 1.2, steep) * smooth(4, 12, at[2]);
        Vec color{};
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const Layer& layer = layers[i];
            double share = i == 0 ? 1 : logistic((at[2] + rock + 2 * layer.noise * mask - layer.from) / layer.width);
            if (i + 1 == layers.size()) share *= 1 - smooth(0.7, 1.5, steep);
            const auto pattern = [&](double size) { return textures_.at(i, at[0] / size, at[1] / size); };
            const Vec here = mix(linear(layer.dark), linear(layer.light), 0.6 * pattern(4.7) + 0.4 * pattern(23));
            color = mix(color, here, share);
        }
        return (0.55 + 0.45 * smooth(0, 0.35, at[2])) * (0.8 + 0.4 * noise(at[0] / 37, at[1] / 37)) * color;
    }

    [[nodiscard]] Vec surface_color(const Pixel& pixel, const Vec& at, const Vec& d) const {
        const Part& part = world_.models[std::size_t(pixel.model)].parts[std::size_t(pixel.part)];
        Vec n = unit({pixel.normal[0], pixel.normal[1], pixel.normal[2]});
        Vec c = part.kind == Kind::terrain ? terrain_color(at, n) : double(pixel.shade) * linear(part.color);
        if (part.kind == Kind::glow) return 1.4 * c;
        if (part.kind == Kind::bark) c = (0.6 + 0.8 * noise(at[0] + at[1], 1.7 * at[2])) * c;
        const bool thin = is_thin(part.kind);
        if (thin && part.kind != Kind::grass && dot(n, d) > 0) n = -1.0 * n;
        const double light = sunny(at + 0.12 * n), to_sun = dot(n, world_.sun), open = std::min(pixel.shade, 1.1F);
        Vec sum = light * std::max(to_sun, 0.0) * sunlight + open * mix(ground, skylight, 0.5 + 0.5 * n[2]);
        const double through = 0.30 * std::max(-to_sun, 0.0) + 0.45 * std::pow(std::max(dot(d, world_.sun), 0.0), 4);
        if (thin) sum = sum + light * through * sunlight * Vec{1, 1.05, 0.5};
        return foggy(c * sum, at);
    }

    /// What a raster shows at a pixel, without water.
    [[nodiscard]] Vec plain_color(const Raster& raster, int column, int row) const {
        const Pixel& pixel = raster.at(column, row);
        Vec ray = raster.camera.ray(column, row), at = eye_ + double(pixel.depth) * ray;
        if (raster.camera.mirror < 0) at[2] = -at[2], ray[2] = -ray[2];
        return pixel.model < 0 ? sky(unit(ray)) : surface_color(pixel, at, unit(ray));
    }

    [[nodiscard]] Vec color(int column, int row) const {
        const Vec ray = scene_.camera.ray(column, row);
        const Pixel &pixel = scene_.at(column, row), &smoke = smoke_.at(column, row);
        const bool is_water = ray[2] < 0 && -eye_[2] / ray[2] < double(pixel.depth);
        const Vec c = is_water ? water_color(column, row, ray) : plain_color(scene_, column, row);
        if (smoke.model < 0 || smoke.depth > pixel.depth) return c;
        const Vec n{smoke.normal[0], smoke.normal[1], smoke.normal[2]}, at = eye_ + double(smoke.depth) * ray;
        const double facing = std::max(-dot(n, unit(ray)), 0.0), up = (at[2] - world_.smoke.foot) / 12.5;
        const Vec gray = mix({0.42, 0.41, 0.41}, {0.66, 0.64, 0.62}, up);
        const Vec lit = gray * (Vec{0.34, 0.34, 0.34} + 0.30 * (0.5 + 0.5 * dot(n, world_.sun)) * sunlight);
        return mix(c, foggy(lit, at), 0.9 * facing * std::pow(1 - smooth(0.05, 1, up), 1.2));
    }

    /// The mixture of what lies below the water, clouded by depth, and of the mirrored scene, shifted by ripples.
    [[nodiscard]] Vec water_color(int column, int row, const Vec& ray) const {
        const double distance = -eye_[2] / ray[2], far = distance * length(ray), calm = 1 / (1 + 0.012 * far);
        const Vec at = eye_ + distance * ray, d = unit(ray);
        const auto ripple = [&](double size) {
            const double x = at[0] / size, y = at[1] / size;
            const auto both = [&](auto l) { return textures_.at(l, x, y) + textures_.at(l, 1.7 * y, 1.7 * x) - 1; };
            return Vec{both(ripple_layer), both(ripple_layer + 1), 0};
        };
        const Vec fine = ripple(9), coarse = ripple(31), n = unit(calm * (0.16 * fine + 0.10 * coarse) + Vec{0, 0, 1});
        const double through = std::min(1e4, (double(scene_.at(column, row).depth) - distance) * length(ray));
        const double deep = through * std::max(-d[2], 0.02), shift = calm * scene_.camera.high;
        const Vec clear{std::exp(-0.55 * deep), std::exp(-0.2 * deep), std::exp(-0.22 * deep)};
        const Vec bottom = plain_color(scene_, column, row);
        const Vec below = mix(bottom * clear, {0.012, 0.048, 0.052}, 1 - std::exp(-0.20 * through - 0.12 * deep));
        const Vec by = 0.055 * shift * fine, above = plain_color(mirrored_, column + int(by[0]), row - int(by[1]));
        const double fresnel = 0.02 + 0.98 * std::pow(1 - std::max(-dot(d, n), 0.0), 5);
        const Vec wide = unit(0.10 * coarse + 0.13 * fine + Vec{0, 0, 1}), back = d - 2 * dot(d, wide) * wide;
        const Vec glint = std::pow(std::max(dot(back, world_.sun), 0.0), 350) * sunlight;
        const Vec wet = mix(bottom, mix(below, above, std::min(fresnel, 0.92)) + glint, smooth(0, 0.16, deep));
        return mix(wet, air(unit({d[0], d[1], 0})), 1 - std::exp(-std::pow(0.0011 * far, 2)));
    }

    const World& world_;
    Vec eye_, target_;
    int width_, threads_, high_ = width_ * 9 / 16, shadows_ = 2 * width_;
    const Textures& textures_ = world_.textures;
    Vec middle_{225, 215, 20}, above_ = middle_ + 400.0 * world_.sun;
    Raster sun_{Camera::towards(above_, middle_, shadows_ / 430.0, shadows_, shadows_), threads_};
    Raster scene_{Camera::towards(eye_, target_, 1.55 * high_, 2 * width_, 2 * high_), threads_};
    Raster mirrored_ = scene_, smoke_ = scene_;
};

/// A PNG file of the view of this name.
inline std::string still(const World& world, const std::string& name, int width, int threads) {
    for (const View& view : world.views) {
        if (view.name != name) continue;
        const std::vector<std::uint8_t> rgb = Still(world, view, width, dunlin::usable_threads(threads)).draw();
        return png(std::size_t(width), std::size_t(width * 9 / 16), rgb);
    }
    throw std::invalid_argument("there is no view " + name);
}

}  // namespace scene
