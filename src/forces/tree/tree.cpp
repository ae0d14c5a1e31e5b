// SPDX-License-Identifier: Apache-2.0
#include "forces/tree/tree.hpp"

#include <algorithm>
#include <variant>

#include "forces/laws.hpp"
#include "forces/tree/mac_test.hpp"
#include "forces/tree/nodes.hpp"
#include "forces/tree/sources.hpp"

namespace dunlin::forces {

namespace {

constexpr float nowhere =
    1e18F;                    // padding: so far away that its mass is below 1e-35 and its force zero; its charge is 0
constexpr Index batch = 512;  // cells per MAC test
constexpr Index list_size = 1024;  // interactions evaluated at once; their sums are float and are added in double

/// Traverses the tree for one group of targets after another and evaluates their interactions.
template <class Law, int D>
class Traversal {
public:
    Traversal(const TreeNodes<D>& tree, Law law) : law_(law), tree_(tree) {
        point_charge_.resize(point_size);
        accepted_.resize(batch + 16);
        opened_.resize(batch + 16);
        for (auto& values : point_at_) values.resize(point_size);
        for (auto& values : cell_at_) values.resize(list_size + batch + source_lanes);
        for (auto& values : cell_moments_) values.resize(list_size + batch + source_lanes);
        cell_count_.resize(list_size + batch + source_lanes);
    }

    /// To be called after the tree is built and before repel().
    void begin() {
        nodes_ = tree_.nodes().data();
        front_.resize(tree_.nodes().size() + (1 << D));
        next_.resize(front_.size());
    }

    /// Writes the forces on the targets of a group; returns their mass.
    double repel(Index group, MatrixView<float> force) {
        const TreeNode<D>& cell = nodes_[group];
        // Coincident points: all have the same force and none on each other, so it is evaluated once
        const bool one_place = cell.accept_r2 == 0;
        enter(cell.first, one_place ? 1 : cell.count);
        search(group);
        repel_by_listed_cells();
        repel_by_listed_points();
        if (one_place) {
            mass_ = cell.count * (mass_ + static_cast<double>(cell.count - 1) * law_.mass(0.0));
        } else {
            mass_ += repel_by_each_other();
        }
        for (Index i = 0; i < cell.count; ++i) {
            const Index row = tree_.item(cell.first + i);
            const auto member = static_cast<std::size_t>(one_place ? 0 : i);
            for (std::size_t d = 0; d < D; ++d)
                force(row, static_cast<Index>(d)) = static_cast<float>(force_[d][member]);
        }
        return mass_;
    }

private:
    static constexpr std::size_t point_size = list_size + std::max(TreeNodes<D>::leaf_size, source_lanes);

    void enter(Index first, Index size) {
        first_ = first;
        size_ = size;
        mass_ = 0;
        for (std::size_t d = 0; d < D; ++d) {
            const auto [low, high] = std::minmax_element(tree_.axis(d) + first, tree_.axis(d) + first + size);
            box_.low[d] = *low;
            box_.high[d] = *high;
            force_[d].fill(0);
        }
    }

    /// Breadth-first traversal from the root. Accepted cells are listed as sources, the others are opened.
    void search(Index group) {
        front_[0] = 0;
        for (Index front = 1; front > 0;) {
            Index next = 0;
            for (Index begin = 0; begin < front; begin += batch) {
                const MacCounts counts = mac_test<D>(nodes_, front_.data() + begin, std::min(batch, front - begin),
                                                     box_, accepted_.data(), opened_.data());
                list_cells(accepted_.data(), counts.accepted);
                next = open(counts.opened, group, next);
            }
            front_.swap(next_);
            front = next;
        }
    }

    /// Adds the children of opened cells to the next front; the points of opened leaves are listed as sources.
    Index open(Index count, Index group, Index next) {
        Index leaves = 0;
        for (Index o = 0; o < count; ++o) {
            const Index id = opened_[static_cast<std::size_t>(o)];
            if (id == group) continue;
            const TreeNode<D>& cell = nodes_[id];
            Index* place = next_.data() + next;
            for (Index c = 0; c < (1 << D); ++c) place[c] = cell.child + c;
            next += cell.children;
            opened_[static_cast<std::size_t>(leaves)] = id;
            leaves += cell.children == 0 ? 1 : 0;
        }
        for (Index l = 0; l < leaves; ++l) list_points(opened_[static_cast<std::size_t>(l)]);
        return next;
    }

    void list_points(Index leaf) {
        const TreeNode<D>& cell = nodes_[leaf];
        if (cell.accept_r2 == 0) return list_cells(&leaf, 1);
        if (points_ > list_size - TreeNodes<D>::leaf_size) repel_by_listed_points();
        for (std::size_t d = 0; d < D; ++d) {
            std::copy_n(tree_.axis(d) + cell.first, TreeNodes<D>::leaf_size, point_at_[d].data() + points_);
        }
        if constexpr (Law::charged) {
            std::copy_n(tree_.charge() + cell.first, TreeNodes<D>::leaf_size, point_charge_.data() + points_);
        }
        points_ += cell.count;
    }

    void list_cells(const Index* ids, Index count) {
        const Quadrupole<D>* moments = tree_.moments().data();
        for (Index i = 0; i < count; ++i) {
            const auto place = static_cast<std::size_t>(Offset{cells_} + i);
            for (std::size_t d = 0; d < D; ++d) cell_at_[d][place] = nodes_[ids[i]].at[d];
            for (std::size_t m = 0; m < cell_moments_.size(); ++m) cell_moments_[m][place] = moments[ids[i]][m];
            cell_count_[place] = Law::charged ? tree_.loads()[static_cast<std::size_t>(ids[i])]
                                              : static_cast<float>(nodes_[ids[i]].count);
        }
        cells_ += count;
        if (cells_ >= list_size) repel_by_listed_cells();
    }

    void repel_by_listed_points() {
        mass_ += repel_by_points<Law, D>(targets(), sources(), law_);
        points_ = 0;
    }

    double repel_by_each_other() {
        for (std::size_t d = 0; d < D; ++d) std::copy_n(tree_.axis(d) + first_, size_, point_at_[d].data());
        if constexpr (Law::charged) std::copy_n(tree_.charge() + first_, size_, point_charge_.data());
        points_ = size_;
        const double mass = repel_among<Law, D>(targets(), sources(), law_);
        points_ = 0;
        return mass;
    }

    void repel_by_listed_cells() {
        SourceCells<D> cells{};
        const auto pad = [this](std::vector<float>& values, float value) {
            std::fill_n(values.begin() + cells_, source_lanes, value);
            return values.data();
        };
        for (std::size_t d = 0; d < D; ++d) cells.at[d] = pad(cell_at_[d], nowhere);
        for (std::size_t m = 0; m < cell_moments_.size(); ++m) cells.moments[m] = pad(cell_moments_[m], 0);
        cells.count = pad(cell_count_, 0);
        cells.size = cells_;
        mass_ += repel_by_cells<Law, D>(targets(), cells, law_);
        cells_ = 0;
    }

    [[nodiscard]] SourcePoints<D> sources() {
        SourcePoints<D> sources{};
        for (std::size_t d = 0; d < D; ++d) {
            std::fill_n(point_at_[d].begin() + points_, source_lanes, nowhere);
            sources.at[d] = point_at_[d].data();
        }
        if constexpr (Law::charged) {
            std::fill_n(point_charge_.begin() + points_, source_lanes, 0.0F);
            sources.charge = point_charge_.data();
        }
        sources.size = points_;
        return sources;
    }

    [[nodiscard]] TargetPoints<D> targets() {
        TargetPoints<D> targets{};
        for (std::size_t d = 0; d < D; ++d) {
            targets.at[d] = tree_.axis(d) + first_;
            targets.force[d] = force_[d].data();
        }
        targets.size = size_;
        return targets;
    }

    Law law_;
    const TreeNodes<D>& tree_;
    const TreeNode<D>* nodes_ = nullptr;

    // The group
    Index first_ = 0, size_ = 0;
    GroupBox<D> box_{};
    double mass_ = 0;
    std::array<std::array<double, TreeNodes<D>::group_size>, D> force_{};

    // The search
    std::vector<Index> front_, next_, accepted_, opened_;

    // What it found
    std::array<std::vector<float>, D> point_at_, cell_at_;
    std::array<std::vector<float>, D*(D + 1) / 2> cell_moments_;
    std::vector<float> cell_count_, point_charge_;
    Index points_ = 0, cells_ = 0;
};

}  // namespace

template <class Law>
struct Tree<Law>::State {
    /// A tree, and a traversal for each thread.
    template <int D>
    struct Workspace {
        TreeNodes<D> nodes;
        std::vector<Traversal<Law, D>> traversals;
    };

    float theta;
    Law law;
    std::variant<Workspace<2>, Workspace<3>> workspace;

    template <int D>
    void repel(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force, device::Cell<double>& mass,
               const float* charges) {
        if (!std::holds_alternative<Workspace<D>>(workspace)) workspace.template emplace<Workspace<D>>();
        TreeNodes<D>& tree = std::get<Workspace<D>>(workspace).nodes;
        auto& traversals = std::get<Workspace<D>>(workspace).traversals;
        tree.build(cpu, y, theta, Law::charged ? charges : nullptr);
        while (traversals.size() < static_cast<std::size_t>(cpu.threads())) traversals.emplace_back(tree, law);
        for (Traversal<Law, D>& traversal : traversals) traversal.begin();
        // A few groups per block; masses are added in the order of blocks
        constexpr Offset grain = 8;
        const auto groups = static_cast<Offset>(tree.groups().size());
        std::vector<double> masses(static_cast<std::size_t>((groups + grain - 1) / grain));
        cpu.blocks(groups, grain, [&](Offset begin, Offset end, int worker) {
            double part = 0;
            for (Offset g = begin; g < end; ++g) {
                part += traversals[static_cast<std::size_t>(worker)].repel(tree.groups()[static_cast<std::size_t>(g)],
                                                                           force);
            }
            masses[static_cast<std::size_t>(begin / grain)] = part;
        });
        mass.value = 0;
        for (const double part : masses) mass.value += part;
    }
};

template <class Law>
Tree<Law>::Tree(float theta, Law law) : state_(new State{theta, law, {}}) {}

template <class Law>
void Tree<Law>::set_theta(float theta) {
    state_->theta = theta;
}

template <class Law>
Tree<Law>::~Tree() = default;

template <class Law>
void Tree<Law>::repel(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force, device::Cell<double>& mass,
                      const float* charges) {
    mass.value = 0;
    if (y.rows == 0) return;
    if (y.cols == 2) {
        state_->template repel<2>(cpu, y, force, mass, charges);
    } else {
        state_->template repel<3>(cpu, y, force, mass, charges);
    }
}

#define DUNLIN_LAW(Law) template class Tree<Law>;
DUNLIN_LAWS(DUNLIN_LAW)

}  // namespace dunlin::forces
