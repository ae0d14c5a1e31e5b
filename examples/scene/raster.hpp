// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>

#include "model.hpp"

/// Triangles to pixels on the CPU: the nearest part, its normal and shade at each pixel.
namespace scene {

struct Camera {
    Vec eye, ahead, right, up;
    double scale;  ///< pixels of a unit at distance 1; in a parallel view, at any distance
    int width, high;
    bool parallel = false;
    double mirror = 1;  ///< -1: what lies above the water, mirrored at it

    static Camera towards(const Vec& eye, const Vec& target, double scale, int width, int high) {
        const Vec ahead = unit(target - eye), right = unit(cross(ahead, {0, 0, 1}));
        return {eye, ahead, right, cross(right, ahead), scale, width, high};
    }
    /// Column, row and distance.
    [[nodiscard]] Vec project(const Vec& p) const {
        const Vec away = Vec{p[0], p[1], mirror * p[2]} - eye;
        const double z = dot(away, ahead), s = parallel ? scale : scale / z;
        return {0.5 * width + s * dot(away, right), 0.5 * high - s * dot(away, up), z};
    }
    /// The way to a pixel, of length 1 along the axis.
    [[nodiscard]] Vec ray(int column, int row) const {
        return ahead + ((column + 0.5 - 0.5 * width) / scale) * right - ((row + 0.5 - 0.5 * high) / scale) * up;
    }
};

struct Pixel {
    float depth = 1e30F, shade = 1;
    std::array<float, 3> normal{};
    std::int16_t model = -1, part = 0;
};

/// Runs work(first, last) on bands of the rows; which thread has a row does not change it.
template <class Work>
void each_rows(int rows, int threads, const Work& work) {
    std::vector<std::jthread> running;
    const auto first = [=](int t) { return rows * t / threads; };
    for (int t = 0; t < threads; ++t) running.emplace_back([&, t] { work(first(t), first(t + 1)); });
}

class Raster {
public:
    Raster(const Camera& its_camera, int threads)
        : camera(its_camera), threads_(threads), pixels_(std::size_t(camera.width) * std::size_t(camera.high)) {}

    Camera camera;

    [[nodiscard]] const Pixel& at(int column, int row) const {
        const int x = std::clamp(column, 0, camera.width - 1), y = std::clamp(row, 0, camera.high - 1);
        return pixels_[std::size_t(y) * std::size_t(camera.width) + std::size_t(x)];
    }

    /// All models, or those that cast shadows.
    void draw(const std::vector<Model>& models, bool all) {
        each_rows(camera.high, threads_, [&](int first, int last) {
            for (std::size_t m = 0; m < models.size(); ++m) {
                if (!all && !models[m].casts) continue;
                for (const Place& place : models[m].places) draw_copy(models[m], std::int16_t(m), place, first, last);
            }
        });
    }

private:
    struct Corner {
        Vec at, normal;  ///< column, row and distance
        double shade, height;
    };
    using Triangle = std::array<const Corner*, 3>;

    void draw_copy(const Model& model, std::int16_t number, const Place& place, int first, int last) {
        std::vector<Corner> corners;
        for (std::size_t p = 0; p < model.parts.size(); ++p) {
            const Part& part = model.parts[p];
            corners.clear();
            for (std::size_t v = 0; v < part.positions.size(); ++v) {
                const Vec at = place.put(part.kind, part.positions[v]);
                corners.push_back({camera.project(at), place.turn(part.kind, part.normals[v]), part.shades[v], at[2]});
            }
            const auto corner = [&](std::size_t t) -> const Corner& { return corners[std::size_t(part.triangles[t])]; };
            for (std::size_t t = 0; t < part.triangles.size(); t += 3)
                draw_triangle({&corner(t), &corner(t + 1), &corner(t + 2)}, number, std::int16_t(p), first, last);
        }
    }

    void draw_triangle(const Triangle& of, std::int16_t model, std::int16_t part, int first, int last) {
        const Vec &a = of[0]->at, &b = of[1]->at, &c = of[2]->at;
        const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if (area == 0 || (!camera.parallel && std::min({a[2], b[2], c[2]}) < 0.15)) return;
        const auto from = [](double low, int least) { return int(std::ceil(std::max(low - 0.5, double(least)))); };
        const auto to = [](double high, int most) { return int(std::floor(std::min(high - 0.5, double(most)))); };
        const Vec low{std::min({a[0], b[0], c[0]}), std::min({a[1], b[1], c[1]})};
        const Vec high{std::max({a[0], b[0], c[0]}), std::max({a[1], b[1], c[1]})};
        for (int row = from(low[1], first); row <= to(high[1], last - 1); ++row) {
            for (int column = from(low[0], 0); column <= to(high[0], camera.width - 1); ++column) {
                const double x = column + 0.5 - a[0], y = row + 0.5 - a[1];
                const double v = (x * (c[1] - a[1]) - y * (c[0] - a[0])) / area;
                const double w = (y * (b[0] - a[0]) - x * (b[1] - a[1])) / area;
                if (v < 0 || w < 0 || v + w > 1) continue;
                Pixel& pixel = pixels_[std::size_t(row) * std::size_t(camera.width) + std::size_t(column)];
                set_pixel(pixel, of, {1 - v - w, v, w}, model, part);
            }
        }
    }

    void set_pixel(Pixel& pixel, const Triangle& of, Vec share, std::int16_t model, std::int16_t part) const {
        if (!camera.parallel) share = {share[0] / of[0]->at[2], share[1] / of[1]->at[2], share[2] / of[2]->at[2]};
        share = (1 / (share[0] + share[1] + share[2])) * share;
        const auto depth = float(dot(share, {of[0]->at[2], of[1]->at[2], of[2]->at[2]}));
        const double height = dot(share, {of[0]->height, of[1]->height, of[2]->height});
        if (depth >= pixel.depth || (camera.mirror < 0 && height < 0)) return;
        const Vec n = share[0] * of[0]->normal + share[1] * of[1]->normal + share[2] * of[2]->normal;
        pixel = {depth,
                 float(dot(share, {of[0]->shade, of[1]->shade, of[2]->shade})),
                 {float(n[0]), float(n[1]), float(n[2])},
                 model,
                 part};
    }

    int threads_;
    std::vector<Pixel> pixels_;
};

}  // namespace scene
