// SPDX-License-Identifier: Apache-2.0
#include "waves/tile.hpp"

#include <algorithm>
#include <utility>

#include "waves/spans.hpp"

namespace dunlin::waves {

namespace {

/// Doubles of a cache line.
constexpr Offset line_nodes = 8;

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
      width_(((spans[0].high - spans[0].low + line_nodes - 1) / line_nodes + 2) * line_nodes),
      height_(spans[1].high - spans[1].low),
      scratch_(scratch),
      now_(&scratch.copies[0]),
      next_(&scratch.copies[1]),
      spare_(&scratch.copies[2]) {
    find_held();
}

Offset GridTile::place(Offset x, Offset y, Offset z) const {
    return x - spans_[0].low + line_nodes + width_ * (y - spans_[1].low + height_ * (z - spans_[2].low));
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

void GridTile::hold(double t, TileScratch::Copy& copy) const {
    for (const Held& held : held_) {
        const Stimulus& s = *held.stimulus;
        if (is_held(s.from, s.to, s.every, t)) watched(copy)[at(held.place)] = s.value;
    }
}

void GridTile::load(const Values& field) {
    const std::size_t size = at(width_ * height_ * (spans_[2].high - spans_[2].low));
    for (TileScratch::Copy& copy : scratch_.copies)
        each_species([&](auto species, auto) { (copy.*species).resize(size); });
    if (!problem_.current.empty()) scratch_.current.resize(size);
    const Offset n = problem_.domain.nodes[0];
    each_row(0, [&](Line line, Offset, Offset) {
        for (Offset x = spans_[0].low; x < spans_[0].high;) {
            const Offset from = node(x, line.y, line.z), to = place(x, line.y, line.z);
            const Offset run = std::min(spans_[0].high - x, n - wrapped(x, n));
            each_species([&](auto species, auto of_field) {
                std::copy_n((field.*of_field).data() + from, run, (now_->*species).data() + to);
            });
            if (!problem_.current.empty())
                std::copy_n(problem_.current.data() + from, run, scratch_.current.data() + to);
            x += run;
        }
    });
}

/// Calls visit(species of a copy, species of Values) for each species that the model has.
template <class Visit>
void GridTile::each_species(const Visit& visit) const {
    visit(&TileScratch::Copy::v, &Values::v);
    if (problem_.recovers()) visit(&TileScratch::Copy::w, &Values::w);
}

TileValues& GridTile::watched(TileScratch::Copy& copy) const { return problem_.watches_recovery() ? copy.w : copy.v; }

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

Row GridTile::row_at(const TileScratch::Copy& from, TileScratch::Copy& to, Line line, Offset x) const {
    const auto of = [&](const TileValues& values, TileValues& out) -> RowOfSpecies {
        const auto [y, z] = line;
        return {.here = values.data() + place(x, y, z),
                .below = values.data() + place(x, beside(spans_[1], y, -1), z),
                .above = values.data() + place(x, beside(spans_[1], y, 1), z),
                .front = values.data() + place(x, y, beside(spans_[2], z, -1)),
                .back = values.data() + place(x, y, beside(spans_[2], z, 1)),
                .out = out.data() + place(x, y, z)};
    };
    Row row{.v = of(from.v, to.v), .level = *problem_.options.level};
    if (problem_.recovers()) row.w = of(from.w, to.w);
    if (!problem_.current.empty()) row.current = scratch_.current.data() + place(x, line.y, line.z);
    return row;
}

void GridTile::set_ghosts(TileValues& values, Line line) const {
    const TileSpan& span = spans_[0];
    const auto value = [&](Offset x) -> double& { return values[at(place(x, line.y, line.z))]; };
    if (span.has_low_end) value(span.low - 1) = value(beside(span, span.low, -1));
    if (span.has_high_end) value(span.high) = value(beside(span, span.high - 1, 1));
}

/// Updates whole cache lines: the valid nodes and a few others, whose values are not read. Returns whether a node may
/// have risen to the level.
bool GridTile::update(TileScratch::Copy& from, TileScratch::Copy& to, double dt, Offset updates) const {
    bool rises = false;
    each_row(updates, [&](Line line, Offset x, Offset n) {
        each_species([&](auto species, auto) { set_ghosts(from.*species, line); });
        const Offset before = (x - spans_[0].low) % line_nodes;
        const Offset nodes = (before + n + line_nodes - 1) / line_nodes * line_nodes;
        rises |= euler_(problem_.coefficients, dt, nodes, row_at(from, to, line, x - before));
    });
    return rises;
}

/// Heun's method: the next values from those of two steps of Euler's.
bool GridTile::take_mean(Offset updates) {
    bool rises = false;
    each_row(updates, [&](Line line, Offset x, Offset n) {
        const Offset first = place(x, line.y, line.z);
        each_species([&](auto species, auto) {
            const bool rose = heun_span(*problem_.options.level, (now_->*species).data() + first,
                                        (spare_->*species).data() + first, (next_->*species).data() + first, n);
            rises |= rose && &(next_->*species) == &watched(*next_);
        });
    });
    return rises;
}

void GridTile::add_noise_to(TileScratch::Copy& to, Offset number, double dt, Offset updates) const {
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
    rises_ = update(*now_, *next_, dt, before + 1);
    if (problem_.options.scheme == Scheme::euler) {
        if (problem_.noise > 0) add_noise_to(*next_, number, dt, before + 1);
    } else {
        hold(end, *next_);
        update(*next_, *spare_, dt, before + 2);
        hold(end, *spare_);
        rises_ = take_mean(before + 2);
    }
    hold(end, *next_);
    rises_ = rises_ || !held_.empty() || problem_.noise > 0;
    std::swap(now_, next_);
}

void GridTile::activate(Offset number, double dt, std::vector<double>& times) {
    if (!rises_) return;
    const TileValues &before = watched(*next_), &after = watched(*now_);
    each_own_row([&](Offset from, Offset to, Offset n) {
        activate_span(time_of(dt, number), dt, *problem_.options.level, before.data() + from, after.data() + from,
                      times.data() + to, n);
    });
}

void GridTile::store(Values& field) const {
    each_own_row([&](Offset from, Offset to, Offset n) {
        each_species([&](auto species, auto of_field) {
            std::copy_n((now_->*species).data() + from, n, (field.*of_field).data() + to);
        });
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
              (!problem_.recovers() || all_equal(now_->w.data() + from, problem_.at_rest.w, n));
    });
    return all;
}

}  // namespace dunlin::waves
