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
        roof();
        door({2.9, 0, floor});
        window({1.35, 0, 1.15}, x, {0, -1, 0});
        window({5.6, 0, 1.15}, x, {0, -1, 0});
        window({0, 0.5 * deep, 1.15}, y, {-1, 0, 0});
        porch(-2.1);
        chimney();
    }

private:
    static constexpr Vec x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};

    Model& wood() { return model.in("logs", {0.43, 0.33, 0.23}, Kind::bark); }
    Model& trim() { return model.in("trim", {0.34, 0.25, 0.17}, Kind::bark); }
    Model& stone() { return model.in("stones", {0.50, 0.48, 0.45}, Kind::bark); }
    double tone() { return random_.uniform(0.78, 1.12); }
    static void box(Model& in, const Vec& low, const Vec& high, double shade) {
        const Vec half = 0.5 * (high - low);
        in.box(low + half, half[0] * x, half[1] * y, half[2] * z, shade);
    }
    void log(const Vec& from, const Vec& to, double radius) {
        wood().tube(from, to, radius, 0.95 * radius, 9, tone(), true);
    }

    /// A course of logs along an axis, cut at openings: from, to, lowest and highest place.
    void row(const Vec& from, const Vec& along, double length, const std::vector<std::array<double, 4>>& openings) {
        double at = -0.38;
        for (const auto& [begin, end, low, high] : openings) {
            if (from[2] < low || from[2] > high) continue;
            log(from + at * along, from + begin * along, 0.165);
            at = end;
        }
        log(from + at * along, from + (length + 0.38) * along, 0.165);
    }

    void walls() {
        constexpr double course = 0.29, half_deep = 0.5 * deep;
        for (const double side : {-0.1, deep - 0.1})
            box(stone(), {-0.1, side, -0.8}, {wide + 0.1, side + 0.2, floor - 0.1}, 0.8);
        for (const double side : {-0.1, wide - 0.1})
            box(stone(), {side, 0, -0.8}, {side + 0.2, deep, floor - 0.1}, 0.8);
        for (double h = floor; h < eaves; h += course) {
            row({0, 0, h}, x, wide, {{0.85, 1.85, 1.15, 2.25}, {2.85, 3.95, 0, 2.45}, {5.1, 6.1, 1.15, 2.25}});
            row({0, deep, h}, x, wide, {});
            row({0, 0, h + course / 2}, y, deep, {{half_deep - 0.5, half_deep + 0.5, 1.15, 2.25}});
            row({wide, 0, h + course / 2}, y, deep, {});
        }
        for (double h = eaves + course / 2; h < eaves + rise - 0.2; h += course) {
            const double half = half_deep * (1 - (h - eaves) / rise) - 0.25;
            for (const double end : {0.0, wide}) log({end, half_deep - half, h}, {end, half_deep + half, h}, 0.165);
        }
    }

    /// Shingles in rows that overlap, from `top` down a vector, over a length along x.
    void shingles(const Vec& top, const Vec& down, double length, int rows) {
        const Vec step = (1.0 / rows) * down, slope = unit(down);
        const Vec up = down[1] < 0 ? cross(slope, x) : cross(x, slope), right = unit(cross(slope, up));
        model.in("deck", {0.24, 0.17, 0.11})
            .box(top + 0.5 * (down + length * x), 0.5 * length * right, 0.5 * down, 0.04 * up);
        for (int r = 0; r < rows; ++r) {
            for (double at = 0, width = 0; at < length - 0.05; at += width) {
                width = std::min(random_.uniform(0.2, 0.42), length - at);
                const Vec lift = (0.075 + random_.uniform(0, 0.012)) * up, along = 0.62 * step + 0.028 * up;
                model.in("shingles", {0.40, 0.33, 0.27}, Kind::bark)
                    .box(top + (r + 0.55) * step + lift + (at + width / 2) * x, 0.49 * width * right, along, 0.014 * up,
                         random_.uniform(0.6, 1.15));
            }
        }
    }

    void roof() {
        const double over = 0.75, share = 1.22;
        const Vec ridge{-over, 0.5 * deep, eaves + rise};
        for (const double side : {-1.0, 1.0}) {
            const Vec down = share * Vec{0, side * 0.5 * deep, -rise};
            shingles(ridge, down, wide + 2 * over, 13);
            for (const double end : {-0.03, wide + 2 * over + 0.03})  // boards of the gables
                trim().box(ridge + 0.5 * down + end * x, 0.035 * x, 0.5 * side * down,
                           0.11 * side * unit(cross(x, down)));
        }
        box(trim(), ridge + Vec{0, -0.17, 0.08}, ridge + Vec{wide + 2 * over, 0.17, 0.15}, 0.9);
        for (const double at : {0.0, 0.25, 0.5, 0.75, 1.0}) {  // purlins
            const double h = eaves + rise * (1 - std::abs(2 * at - 1)) - 0.12;
            log({-over, at * deep, h}, {wide + over, at * deep, h}, 0.12);
        }
    }

    /// Four boards around a hole in the plane of `along` and z.
    void frame(const Vec& low, const Vec& along, const Vec& out, double width, double height) {
        const Vec center = low + 0.5 * width * along + 0.5 * height * z + 0.12 * out, deep_by = cross(z, along);
        for (const double side : {-0.5, 0.5}) {
            trim().box(center + side * width * along, 0.07 * along, 0.1 * deep_by, (0.5 * height + 0.07) * z);
            trim().box(center + side * height * z, (0.5 * width + 0.1) * along, 0.12 * deep_by, 0.07 * z);
        }
    }

    void door(const Vec& low) {
        Model& planks = model.in("door", {0.36, 0.14, 0.10}, Kind::bark);
        for (double at = low[0]; at < low[0] + 0.9; at += 0.2)
            box(planks, {at + 0.005, -0.06, low[2]}, {at + 0.195, 0.02, low[2] + 1.95}, tone());
        const Vec knob = low + Vec{0.87, -0.06, 0.95};
        model.in("iron", {0.12, 0.12, 0.13}).tube(knob, knob - 0.09 * y, 0.02, 0.035, 8, 1, true);
        frame(low, x, {0, -1, 0}, 1, 1.97);
    }

    /// A window with a glowing pane behind bars, its middle at `foot` along the wall.
    void window(const Vec& foot, const Vec& along, const Vec& out) {
        const Vec low = foot - 0.5 * along, middle = foot + 0.55 * z, back = 0.03 * cross(z, along);
        model.in("panes", {1.0, 0.74, 0.36}, Kind::glow).box(middle, 0.5 * along, back, 0.55 * z);
        trim().box(middle, 0.5 * along, 2.0 * back, 0.025 * z);
        trim().box(middle, 0.025 * along, 2.0 * back, 0.55 * z);
        frame(low, along, out, 1, 1.1);
    }

    void porch(double front) {
        const double edge = 0.62 * eaves + 0.62, posts = front + 0.12;
        for (double at = 0; at < wide; at += 0.24)
            box(trim(), {at, front, floor - 0.1}, {at + 0.225, 0.1, floor}, 1.15 * tone());
        for (const double step : {1.0, 2.0})
            box(trim(), {2.7, front - 0.34 * step, -0.4}, {4.1, front - 0.34 * (step - 1), floor - 0.16 * step}, 1.1);
        shingles({-0.45, -0.1, eaves - 0.12}, {0, front - 0.25, edge - eaves - 0.12}, wide + 0.9, 8);
        log({-0.3, posts, edge - 0.02}, {wide + 0.3, posts, edge - 0.02}, 0.1);
        for (const double at : {0.1, 2.55, 4.25, wide - 0.1}) log({at, posts, -0.4}, {at, posts, edge}, 0.095);
        for (const auto& [from, to] : {std::pair{0.1, 2.55}, std::pair{4.25, wide - 0.1}}) {
            for (const double h : {floor + 0.3, floor + 0.85}) log({from, posts, h}, {to, posts, h}, 0.045);
            for (double at = from + 0.35; at < to - 0.2; at += 0.35)
                log({at, posts, floor + 0.3}, {at, posts, floor + 0.85}, 0.03);
        }
    }

    /// Courses of stones around a flue that narrows above the shoulder.
    void chimney() {
        const Vec foot{chimney_top[0], chimney_top[1], -0.38};
        for (int course = 0; course < 30; ++course) {
            const Vec half = course < 13 ? Vec{0.5, 0.8, 0} : Vec{0.38, 0.46, 0};
            for (int i = 0; i < 8; ++i) {
                const double side = i % 2 == 0 ? -1 : 1, shift = 0.25 * (course % 2) + random_.uniform(-0.08, 0.08);
                const double along = std::clamp(-0.75 + 0.5 * (i / 2 + shift), -0.76, 0.76), h = 0.235 * course;
                stone().box(foot + Vec{along * half[0], side * (half[1] - 0.12), h}, 0.27 * half[0] * x,
                            random_.uniform(0.11, 0.15) * y, 0.112 * z, random_.uniform(0.65, 1.15));
                stone().box(foot + Vec{side * (half[0] - 0.12), along * half[1], h}, random_.uniform(0.11, 0.15) * x,
                            0.27 * half[1] * y, 0.112 * z, random_.uniform(0.65, 1.15));
            }
        }
        model.in("soot", {0.06, 0.06, 0.06}).box(foot + 3.6 * z, 0.3 * x, 0.38 * y, 3.25 * z);
    }

    Random random_;
};

}  // namespace scene
