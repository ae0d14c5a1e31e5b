// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <thread>

#include <dunlin/threads.hpp>

#include "png.hpp"
#include "world.hpp"

/// A still of the scene, drawn on the CPU in the passes of the page and by its formulas (page/light.glsl). The bytes
/// are the same for any number of threads.
namespace scene {

struct Camera {
    Vec eye, ahead, right, up;
    double scale;  ///< pixels of a unit at distance 1
    int width, high;
    double mirror = 1;  ///< -1: what lies above the water, mirrored at it

    static Camera towards(const Vec& eye, const Vec& target, double scale, int width, int high) {
        const Vec ahead = normalize(target - eye), right = normalize(cross(ahead, {0, 0, 1}));
        return {eye, ahead, right, cross(right, ahead), scale, width, high};
    }
    /// Column, row and distance.
    [[nodiscard]] Vec project(const Vec& p) const {
        const Vec away = Vec{p[0], p[1], mirror * p[2]} - eye;
        const double z = dot(away, ahead), s = scale / z;
        return {0.5 * width + s * dot(away, right), 0.5 * high - s * dot(away, up), z};
    }
    /// The way to a pixel, of length 1 along the axis.
    [[nodiscard]] Vec ray(const std::array<int, 2>& at) const {
        return ahead + ((at[0] + 0.5 - 0.5 * width) / scale) * right - ((at[1] + 0.5 - 0.5 * high) / scale) * up;
    }
};

struct Pixel {
    float depth = 1e30F, shade = 1;
    std::array<float, 3> direction{};
    std::int16_t model = -1, part = 0;

    [[nodiscard]] Vec normal() const { return normalize({direction[0], direction[1], direction[2]}); }
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

    /// The pixel of a column and a row, or the nearest.
    [[nodiscard]] const Pixel& at(const std::array<int, 2>& place) const {
        return pixels_[index(clamp(place[0], 0, camera.width - 1), clamp(place[1], 0, camera.high - 1))];
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
        Vec at, normal, more;  ///< column, row and distance; normal; shade and height
    };

    [[nodiscard]] std::size_t index(int column, int row) const {
        return std::size_t(row) * std::size_t(camera.width) + std::size_t(column);
    }
    void draw_copy(const Model& model, std::int16_t number, const Place& place, int first, int last) {
        for (std::size_t p = 0; p < model.parts.size(); ++p) {
            const Part& part = model.parts[p];
            std::vector<Corner> corners;
            for (const Vertex& v : part.vertices) {
                const auto [at, normal, shade] = place.put(part.kind, v);
                corners.push_back({camera.project(at), normal, {shade, at[2]}});
            }
            const auto corner = [&](std::size_t t) -> const Corner& { return corners[std::size_t(part.triangles[t])]; };
            for (std::size_t t = 0; t < part.triangles.size(); t += 3) {
                const Pixel pixel{.model = number, .part = std::int16_t(p)};
                draw_triangle(corner(t), corner(t + 1), corner(t + 2), pixel, first, last);
            }
        }
    }

    void draw_triangle(const Corner& one, const Corner& two, const Corner& three, Pixel pixel, int first, int last) {
        const Vec &a = one.at, &b = two.at, &c = three.at;
        const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if (area == 0 || min({a[2], b[2], c[2]}) < 0.15) return;
        const auto from = [&](std::size_t i, int least) { return max(min({a[i], b[i], c[i]}) - 0.5, double(least)); };
        const auto to = [&](std::size_t i, int most) { return min(max({a[i], b[i], c[i]}) - 0.5, double(most)); };
        const double bottom = to(1, last - 1), right = to(0, camera.width - 1);
        for (int row = int(std::ceil(from(1, first))); row <= bottom; ++row) {
            for (int column = int(std::ceil(from(0, 0))); column <= right; ++column) {
                const double x = column + 0.5 - a[0], y = row + 0.5 - a[1];
                const double v = (x * (c[1] - a[1]) - y * (c[0] - a[0])) / area;
                const double w = (y * (b[0] - a[0]) - x * (b[1] - a[1])) / area;
                if (v < 0 || w < 0 || v + w > 1) continue;
                Vec share{(1 - v - w) / a[2], v / b[2], w / c[2]};
                share = share / dot(share, Vec(1));
                const auto mean = [&](Vec Corner::* of) {
                    return share[0] * (one.*of) + share[1] * (two.*of) + share[2] * (three.*of);
                };
                const Vec more = mean(&Corner::more);
                pixel.depth = float(mean(&Corner::at)[2]);
                Pixel& nearest = pixels_[index(column, row)];
                if (pixel.depth >= nearest.depth || (camera.mirror < 0 && more[1] < 0)) continue;
                const Vec n = mean(&Corner::normal);
                pixel.shade = float(more[0]);
                pixel.direction = {float(n[0]), float(n[1]), float(n[2])};
                nearest = pixel;
            }
        }
    }

    int threads_;
    std::vector<Pixel> pixels_;
};

class Still {
public:
    Still(const World& world, const View& view, int width, int its_threads)
        : world_(world), eye(view.eye), target_(view.target), width_(width), threads_(its_threads) {
        mirrored_.camera.mirror = -1;
        sun_.draw(world.models, false);
        scene_.draw(world.models, true);
        mirrored_.draw(world.models, false);
        smoke_.draw({world.smoke.frames.front()}, true);
    }

    /// Rows of sRGB: each pixel is the mean of four.
    [[nodiscard]] std::vector<std::uint8_t> draw() {
        std::vector<std::uint8_t> rgb(3 * std::size_t(width_) * std::size_t(high_));
        each_rows(high_, threads_, [&](int first, int last) {
            for (int p = first * width_; p < last * width_; ++p) {
                const int x = 2 * (p % width_), y = 2 * (p / width_);
                const Vec sum = 63.75 * (color(x, y) + color(x + 1, y) + color(x, y + 1) + color(x + 1, y + 1));
                for (std::size_t c = 0; c < 3; ++c) rgb[3 * std::size_t(p) + c] = std::uint8_t(std::lround(sum[c]));
            }
        });
        return rgb;
    }

private:
#include "page/light.glsl"

    static const Layer& layer_at(int i) { return layers[std::size_t(i)]; }
    [[nodiscard]] double pattern(int layer, const Vec& p) const { return world_.textures.at(layer, p[0], p[1]); }
    [[nodiscard]] double sharp(int layer, const Vec& p) const { return pattern(layer, p); }
    [[nodiscard]] double sunny(const Vec& at) const {
        const Vec p = sun_.camera.project(at);
        double sum = 0;
        for (const int i : {0, 1, 2, 3}) {
            const Pixel& nearest = sun_.at({int(p[0] - 0.6 + 1.2 * (i / 2)), int(p[1] - 0.6 + 1.2 * (i % 2))});
            sum += double(nearest.depth) > p[2] - 896.0 / shadows_ ? 0.25 : 0;  // less for more pixels
        }
        return sum;
    }

    /// Column and row of a place on the screen, which goes from 0 to 1, rows upwards.
    [[nodiscard]] std::array<int, 2> pixel(const Vec& screen) const {
        return {int(screen[0] * scene_.camera.width), int((1 - screen[1]) * scene_.camera.high)};
    }
    Vec below(const Vec& screen) { return shown(dry(scene_, pixel(screen))); }
    Vec above(const Vec& screen) { return shown(dry(mirrored_, pixel(screen))); }
    [[nodiscard]] double away(const Vec& screen) const { return double(scene_.at(pixel(screen)).depth); }

    /// The light from what a raster has at a pixel, without water.
    Vec dry(const Raster& raster, const std::array<int, 2>& where) {
        const Pixel& pixel = raster.at(where);
        Vec ray = raster.camera.ray(where), at = eye + double(pixel.depth) * ray;
        if (raster.camera.mirror < 0) at[2] = -at[2], ray[2] = -ray[2];
        if (pixel.model < 0) return sky(normalize(ray));
        const Part& part = world_.models[std::size_t(pixel.model)].parts[std::size_t(pixel.part)];
        const Vec n = pixel.normal(),
                  c = part.kind == TERRAIN ? ground(at, n) : double(pixel.shade) * linear(part.color);
        return surface(part.kind, c, double(pixel.shade), at, n, normalize(ray));
    }

    /// What a pixel shows.
    Vec color(int column, int row) {
        const std::array<int, 2> where{column, row};
        const Pixel &pixel = scene_.at(where), &smoke = smoke_.at(where);
        const Vec ray = scene_.camera.ray(where), d = normalize(ray), n = smoke.normal(),
                  at = eye + double(smoke.depth) * ray;
        const Vec screen{(column + 0.5) / scene_.camera.width, 1 - (row + 0.5) / scene_.camera.high};
        const double surface_at = ray[2] < 0 ? -eye[2] / ray[2] : 2e30;
        const Vec c =
            surface_at < double(pixel.depth) ? water(eye + surface_at * ray, screen, surface_at) : below(screen);
        if (smoke.model < 0 || smoke.depth > pixel.depth) return c;
        return mix(c, shown(surface(SMOKE, {}, 1, at, n, d)), opacity(SMOKE, at, n, d));
    }

    const World& world_;
    Vec eye, sun = world_.sun, target_;
    double time = 0, foot = world_.smoke.foot;
    int width_, threads_, high_ = width_ * 9 / 16, shadows_ = 2 * width_;
    Vec above_ = world_.middle + 9000.0 * sun;  // so far that the sun's rays are parallel
    Raster sun_{Camera::towards(above_, world_.middle, 9000 * shadows_ / 430.0, shadows_, shadows_), threads_};
    Raster scene_{Camera::towards(eye, target_, 1.55 * high_, 2 * width_, 2 * high_), threads_};
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
