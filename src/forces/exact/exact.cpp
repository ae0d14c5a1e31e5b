// SPDX-License-Identifier: Apache-2.0
#include "forces/exact/exact.hpp"

#include "forces/borders.hpp"
#include "forces/exact/tile.hpp"
#include "forces/laws.hpp"

namespace dunlin::forces {

namespace {

constexpr Index smallest_block = 256, largest_block = 512;

/// All pairs of blocks in the order of a round-robin tournament. In a round every block is paired with one other, so
/// that each force has one writer at a time and its sum has an order fixed by n. Each pair of points is evaluated once,
/// for both points.
template <class Law, int D>
class AllPairs {
public:
    AllPairs(MatrixView<const float> y, const float* charges, const float* radii, Law law)
        : law_(law),
          n_(y.rows),
          charges_(charges),
          radii_(radii),
          block_(std::clamp((n_ / 32 + 15) / 16 * 16, smallest_block, largest_block)),
          blocks_((n_ + block_ - 1) / block_),
          at_(static_cast<std::size_t>(n_) * D),
          force_(at_.size()) {
        for (Index i = 0; i < n_; ++i) {
            for (Index d = 0; d < D; ++d) at_[static_cast<std::size_t>(Offset{d} * n_ + i)] = y(i, d);
        }
    }

    double run(device::Cpu& cpu) {
        double mass = round(cpu, blocks_, [this](Offset k) { return meet_itself(static_cast<Index>(k)); });
        // Circle method: the last position is fixed and the others rotate; with an odd number of blocks it is empty
        const Index seats = blocks_ + blocks_ % 2, moving = seats - 1;
        for (Index r = 0; r < moving; ++r) {
            mass += round(cpu, seats / 2, [&](Offset k) {
                const auto step = static_cast<Index>(k);
                return meet((r + step) % moving, step == 0 ? moving : (r + moving - step) % moving);
            });
        }
        return 2 * mass;
    }

    void write(MatrixView<float> force) const {
        for (Index i = 0; i < n_; ++i) {
            for (Index d = 0; d < D; ++d) {
                force(i, d) = static_cast<float>(force_[static_cast<std::size_t>(Offset{d} * n_ + i)]);
            }
        }
    }

private:
    /// Forces of one pair of blocks in float, at most largest_block terms each; they are then added to the sums in
    /// double.
    struct Side {
        float force[D][largest_block] = {};
    };

    template <class Meeting>
    double round(device::Cpu& cpu, Offset meetings, const Meeting& meeting) {
        device::Cell<double> mass;
        cpu.sum(meetings, meeting, mass, 1);
        return mass.value;
    }

    TileSide<D> side(Index block, Side& scratch) const {
        TileSide<D> side{};
        const Index begin = block * block_;
        for (Index d = 0; d < D; ++d) {
            side.at[static_cast<std::size_t>(d)] = at_.data() + Offset{d} * n_ + begin;
            side.force[static_cast<std::size_t>(d)] = scratch.force[d];
        }
        side.size = std::min(n_ - begin, block_);
        if constexpr (Law::charged) side.charge = charges_ + begin;
        if constexpr (is_sized<Law>) side.radius = radii_ + begin;
        return side;
    }

    void keep(Index block, const TileSide<D>& side) {
        for (Index d = 0; d < D; ++d) {
            double* sums = force_.data() + Offset{d} * n_ + Offset{block} * block_;
            for (Index i = 0; i < side.size; ++i) {
                sums[i] += static_cast<double>(side.force[static_cast<std::size_t>(d)][i]);
            }
        }
    }

    double meet_itself(Index block) {
        Side scratch;
        const TileSide<D> points = side(block, scratch);
        const double mass = repel_within<Law, D>(points, law_);
        keep(block, points);
        return mass;
    }

    double meet(Index a, Index b) {
        if (a >= blocks_ || b >= blocks_) return 0;
        Side scratch_a, scratch_b;
        const TileSide<D> rows = side(a, scratch_a), columns = side(b, scratch_b);
        const double mass = repel_tile<Law, D>(rows, columns, law_);
        keep(a, rows);
        keep(b, columns);
        return mass;
    }

    Law law_;
    Index n_;
    const float *charges_, *radii_;
    Index block_, blocks_;
    std::vector<float> at_;      // [axis][point]
    std::vector<double> force_;  // [axis][point]
};

template <class Law, int D>
void repel(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force, device::Cell<double>& mass,
           const float* charges, const float* radii, Law law) {
    AllPairs<Law, D> pairs(y, charges, radii, law);
    mass.value = pairs.run(cpu);
    pairs.write(force);
}

}  // namespace

template <class Law>
void repel_exact(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force, device::Cell<double>& mass,
                 const float* charges, const float* radii, Law law) {
    if (y.cols == 2) {
        repel<Law, 2>(cpu, y, force, mass, charges, radii, law);
    } else {
        repel<Law, 3>(cpu, y, force, mass, charges, radii, law);
    }
}

#define DUNLIN_LAW(Law)                                                                                             \
    template void repel_exact<Law>(device::Cpu&, MatrixView<const float>, MatrixView<float>, device::Cell<double>&, \
                                   const float*, const float*, Law);
DUNLIN_LAWS(DUNLIN_LAW)
DUNLIN_LAW(BetweenBorders)

}  // namespace dunlin::forces
