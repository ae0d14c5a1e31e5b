// SPDX-License-Identifier: Apache-2.0
#include "waves/tile.hpp"

#include <algorithm>
#include <utility>

#include "waves/spans.hpp"

namespace dunlin::waves {

namespace {

/// The node of an axis at this position.
Offset wrapped(Offset position, Offset n) { return (position % n + n) % n; }

/// Positions of a node in a span: more than one if a periodic axis is shorter than the span.
std::vector<Offset> positions_of(Offset node, Offset n, const TileSpan& span) {
    std::vector<Offset> positions;
    const Offset first = span.low + wrapped(node - span.low, n);
    for (Offset x = first; x < span.high; x += n) positions.push_back(x);
    return positions;
}

/// The position of the row before (`step` -1) or after (1) along an axis.
Offset beside(const TileSpan& span, Offset position, Offset step) {
    const bool is_end =
        step < 0 ? span.has_low_end && position == span.low : span.has_high_end && position == span.high - 1;
    if (!is_end) return position + step;
    return std::clamp(position - step, span.low, span.high - 1);
}

}  // namespace

GridTile::GridTile(const Problem& problem, RowKernel euler, const std::array<TileSpan, 3>& spans, TileScratch& scratch)
    : problem_(problem),
      euler_(euler),
      spans_(spans),
      width_(spans[0].high - spans[0].low + 2),
      height_(spans[1].high - spans[1].low),
      scratch_(scratch),
      now_(&scratch.copies[0]),
      next_(&scratch.copies[1]),
      spare_(&scratch.copies[2]) {
    find_held();
}

Offset GridTile::place(Offset x, Offset y, Offset z) const {
    return x - spans_[0].low + 1 + width_ * (y - spans_[1].low + height_ * (z - spans_[2].low));
}

Offset GridTile::node(Offset x, Offset y, Offset z) const {
    const auto [nx, ny, nz] = problem_.domain.nodes;
    return wrapped(x, nx) + Offset{nx} * (wrapped(y, ny) + Offset{ny} * wrapped(z, nz));
}

void GridTile::find_held() {
    const auto [nx, ny, nz] = problem_.domain.nodes;
    for (const Stimulus& s : problem_.stimuli) {
        for (const Offset z : positions_of(s.vertex / nx / ny, nz, spans_[2])) {
            for (const Offset y : positions_of(s.vertex / nx % ny, ny, spans_[1])) {
                for (const Offset x : positions_of(s.vertex % nx, nx, spans_[0])) held_.push_back({place(x, y, z), &s});
            }
        }
    }
}

void GridTile::hold(double t, Values& values) const {
    for (const Held& held : held_) {
        const Stimulus& s = *held.stimulus;
        if (is_held(s.from, s.to, s.every, t)) values.watched(problem_)[at(held.place)] = s.value;
    }
}

void GridTile::load(const Values& field) {
    const std::size_t size = at(width_ * height_ * (spans_[2].high - spans_[2].low));
    for (Values& copy : scratch_.copies) {
        copy.v.resize(size);
        copy.w.resize(field.w.empty() ? 0 : size);
    }
    if (!problem_.current.empty()) scratch_.current.resize(size);
    const Offset n = problem_.domain.nodes[0];
    each_row(0, [&](Line line, Offset, Offset) {
        for (Offset x = spans_[0].low; x < spans_[0].high;) {
            const Offset from = node(x, line.y, line.z), to = place(x, line.y, line.z);
            const Offset run = std::min(spans_[0].high - x, n - wrapped(x, n));
            field.each_species([&](auto species) {
                std::copy_n((field.*species).data() + from, run, ((*now_).*species).data() + to);
            });
            if (!problem_.current.empty())
                std::copy_n(problem_.current.data() + from, run, scratch_.current.data() + to);
            x += run;
        }
    });
}

template <class Visit>
void GridTile::each_row(Offset updates, const Visit& visit) const {
    const Offset begin = spans_[0].first_valid(updates), end = spans_[0].last_valid(updates);
    for (Offset z = spans_[2].first_valid(updates); z < spans_[2].last_valid(updates); ++z) {
        for (Offset y = spans_[1].first_valid(updates); y < spans_[1].last_valid(updates); ++y)
            visit(Line{y, z}, begin, end - begin);
    }
}

template <class Visit>
void GridTile::each_own_row(const Visit& visit) const {
    for (Offset z = spans_[2].begin; z < spans_[2].end; ++z) {
        for (Offset y = spans_[1].begin; y < spans_[1].end; ++y) {
            visit(place(spans_[0].begin, y, z), node(spans_[0].begin, y, z), spans_[0].end - spans_[0].begin);
        }
    }
}

Row GridTile::row_at(const Values& from, Values& to, Line line, Offset x) const {
    const auto of = [&](const std::vector<double>& values, std::vector<double>& out) -> RowOfSpecies {
        const auto [y, z] = line;
        return {.here = values.data() + place(x, y, z),
                .below = values.data() + place(x, beside(spans_[1], y, -1), z),
                .above = values.data() + place(x, beside(spans_[1], y, 1), z),
                .front = values.data() + place(x, y, beside(spans_[2], z, -1)),
                .back = values.data() + place(x, y, beside(spans_[2], z, 1)),
                .out = out.data() + place(x, y, z)};
    };
    Row row{.v = of(from.v, to.v)};
    if (problem_.recovers()) row.w = of(from.w, to.w);
    if (!problem_.current.empty()) row.current = scratch_.current.data() + place(x, line.y, line.z);
    return row;
}

void GridTile::set_ghosts(std::vector<double>& values, Line line) const {
    const TileSpan& span = spans_[0];
    const auto value = [&](Offset x) -> double& { return values[at(place(x, line.y, line.z))]; };
    if (span.has_low_end) value(span.low - 1) = value(beside(span, span.low, -1));
    if (span.has_high_end) value(span.high) = value(beside(span, span.high - 1, 1));
}

void GridTile::update(Values& from, Values& to, double dt, Offset updates) const {
    each_row(updates, [&](Line line, Offset x, Offset n) {
        from.each_species([&](auto species) { set_ghosts(from.*species, line); });
        euler_(problem_.coefficients, dt, n, row_at(from, to, line, x));
    });
}

void GridTile::add_noise_to(Values& to, Offset number, double dt, Offset updates) const {
    each_row(updates, [&](Line line, Offset begin, Offset n) {
        const Offset nodes = problem_.domain.nodes[0];
        for (Offset x = begin; x < begin + n;) {
            const Offset run = std::min(begin + n - x, nodes - wrapped(x, nodes));
            add_noise(problem_, dt, number, node(x, line.y, line.z), to.v.data() + place(x, line.y, line.z), run);
            x += run;
        }
    });
}

void GridTile::step(Offset number, double dt, Offset before) {
    const double end = time_of(dt, number + 1);
    update(*now_, *next_, dt, before + 1);
    if (problem_.options.scheme == Scheme::euler) {
        if (problem_.noise > 0) add_noise_to(*next_, number, dt, before + 1);
    } else {
        hold(end, *next_);
        update(*next_, *spare_, dt, before + 2);
        hold(end, *spare_);
        each_row(before + 2, [&](Line line, Offset x, Offset n) {
            const Offset first = place(x, line.y, line.z);
            now_->each_species([&](auto species) {
                heun_span(((*now_).*species).data() + first, ((*spare_).*species).data() + first,
                          ((*next_).*species).data() + first, n);
            });
        });
    }
    hold(end, *next_);
    std::swap(now_, next_);
}

void GridTile::activate(Offset number, double dt, std::vector<double>& times) {
    const std::vector<double>&before = next_->watched(problem_), &after = now_->watched(problem_);
    each_own_row([&](Offset from, Offset to, Offset n) {
        activate_span(time_of(dt, number), dt, *problem_.options.level, before.data() + from, after.data() + from,
                      times.data() + to, n);
    });
}

void GridTile::store(Values& field) const {
    each_own_row([&](Offset from, Offset to, Offset n) {
        field.each_species(
            [&](auto species) { std::copy_n(((*now_).*species).data() + from, n, (field.*species).data() + to); });
    });
}

void GridTile::store_rest(Values& field) const {
    each_own_row([&](Offset, Offset to, Offset n) {
        std::fill_n(field.v.data() + to, n, problem_.at_rest.v);
        if (!field.w.empty()) std::fill_n(field.w.data() + to, n, problem_.at_rest.w);
    });
}

Offset GridTile::size() const {
    Offset size = 1;
    for (const TileSpan& span : spans_) size *= span.end - span.begin;
    return size;
}

bool GridTile::rests() const {
    bool all = true;
    each_own_row([&](Offset from, Offset, Offset n) {
        all = all && all_equal(now_->v.data() + from, problem_.at_rest.v, n) &&
              (now_->w.empty() || all_equal(now_->w.data() + from, problem_.at_rest.w, n));
    });
    return all;
}

}  // namespace dunlin::waves
