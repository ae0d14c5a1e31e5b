// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model.hpp"

/// A log cabin: its front, with a porch, faces -y; the ridge runs along x; the chimney stands at the gable of +x.
namespace scene {

class Cabin {
public:
    static constexpr double wide = 7.2, deep = 5.6, eaves = 2.75, rise = 2.3, floor = 0.45;
    static constexpr Vec chimney_top{wide + 0.42, 0.55 * deep, 6.65};
    Model model{"cabin"};

    explicit Cabin(std::uint64_t seed) : random_(seed) {
        walls();
        for (const double side : {-1.0, 1.0})
            shingles({-0.75, 0.5 * deep, eaves + rise}, 1.22 * Vec{0, side * 0.5 * deep, -rise}, wide + 1.5, 13);
        box(trim(), {-0.75, 0.5 * deep - 0.17, eaves + rise + 0.08},
            {wide + 0.75, 0.5 * deep + 0.17, eaves + rise + 0.15});
        opening("door", {0.36, 0.14, 0.10}, BARK, {2.9, 0, floor}, x, 5, 1.97);
        const Vec glow{1.0, 0.74, 0.36};
        for (const double at : {0.85, 5.1}) opening("panes", glow, GLOW, {at, 0, 1.15}, x, 2, 1.1);
        opening("panes", glow, GLOW, {0, 0.5 * deep + 0.5, 1.15}, -1.0 * y, 2, 1.1);
        porch(-2.1);
        chimney();
    }

private:
    static constexpr Vec x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};

    Model& trim() { return model.in("trim", {0.34, 0.25, 0.17}, BARK); }
    Model& stone() { return model.in("stones", {0.50, 0.48, 0.45}, BARK); }
    static void box(Model& in, const Vec& low, const Vec& high, double shade = 1) {
        const Vec half = 0.5 * (high - low);
        in.box(low + half, half[0] * x, half[1] * y, half[2] * z, shade);
    }
    void log(const Vec& from, const Vec& to, double radius = 0.165) {
        model.in("logs", {0.43, 0.33, 0.23}, BARK)
            .tube(from, to, radius, 0.95 * radius, 9, random_.uniform(0.78, 1.12), true);
    }

    void walls() {
        constexpr double course = 0.29, past = 0.38;
        box(stone(), {-0.1, -0.1, -0.8}, {wide + 0.1, deep + 0.1, floor - 0.1}, 0.8);
        for (double h = floor; h < eaves; h += course) {
            for (const double at : {0.0, deep}) log({-past, at, h}, {wide + past, at, h});
            for (const double at : {0.0, wide}) log({at, -past, h + course / 2}, {at, deep + past, h + course / 2});
        }
        for (double h = eaves + course / 2; h < eaves + rise - 0.2; h += course) {
            const double start = 0.5 * deep * (h - eaves) / rise + 0.25;
            for (const double at : {0.0, wide}) log({at, start, h}, {at, deep - start, h});
        }
    }

    /// A deck and rows of shingles that overlap, from `top` down a vector, over a length along x.
    void shingles(const Vec& top, const Vec& down, double length, int rows) {
        const Vec step = down / rows, up = normalize(down[1] < 0 ? cross(down, x) : cross(x, down));
        const Vec right = 0.5 * length * normalize(cross(down, up)), middle = top + 0.5 * length * x;
        model.in("deck", {0.24, 0.17, 0.11}).box(middle + 0.5 * down, right, 0.5 * down, 0.04 * up);
        for (int r = 0; r < rows; ++r) {
            const Vec at = middle + (r + 0.55) * step + 0.08 * up;
            model.in("shingles", {0.40, 0.33, 0.27}, BARK)
                .box(at, right, 0.62 * step + 0.028 * up, 0.014 * up, random_.uniform(0.6, 1.15));
        }
    }

    /// A door or window before a wall: panels side by side, and four boards around them.
    void opening(const char* part, const Vec& color, int kind, const Vec& low, const Vec& along, int panels,
                 double high) {
        const Vec out = cross(along, z), middle = low + 0.5 * along + 0.5 * high * z + 0.15 * out;
        for (int i = 0; i < panels; ++i)
            model.in(part, color, kind)
                .box(middle + ((i + 0.5) / panels - 0.5) * along, 0.47 / panels * along, 0.05 * out, 0.5 * high * z);
        for (const double side : {-0.5, 0.5}) {
            trim().box(middle + side * along, 0.07 * along, 0.1 * out, (0.5 * high + 0.07) * z);
            trim().box(middle + side * high * z, 0.6 * along, 0.12 * out, 0.07 * z);
        }
    }

    /// A floor, a step, and a roof on posts.
    void porch(double front) {
        const double edge = 0.62 * eaves + 0.62, posts = front + 0.12;
        box(trim(), {0, front, floor - 0.1}, {wide, 0, floor});
        box(trim(), {2.7, front - 0.5, -0.4}, {4.1, front, 0.5 * floor});
        shingles({-0.45, -0.1, eaves - 0.12}, {0, front - 0.25, edge - eaves - 0.12}, wide + 0.9, 8);
        log({-0.3, posts, edge - 0.02}, {wide + 0.3, posts, edge - 0.02}, 0.1);
        for (const double at : {0.1, 2.55, 4.25, wide - 0.1}) log({at, posts, -0.4}, {at, posts, edge}, 0.095);
    }

    /// Courses of stones that narrow above the shoulder.
    void chimney() {
        const Vec foot{chimney_top[0], chimney_top[1], -0.38};
        for (int course = 0; course < 30; ++course) {
            const double wider = course < 13 ? 1.6 : 1, a = random_.uniform(0.29, 0.33),
                         b = random_.uniform(0.41, 0.46);
            const Vec at = foot + 0.235 * course * z;
            stone().box(at, wider * a * x, wider * b * y, 0.112 * z, random_.uniform(0.65, 1.15));
        }
    }

    Random random_;
};

}  // namespace scene
