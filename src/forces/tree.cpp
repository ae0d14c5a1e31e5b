#include "forces/tree.hpp"

#include <algorithm>
#include <variant>

#include "forces/tree_nodes.hpp"
#include "forces/tree_swarm.hpp"

namespace dunlin::forces {

namespace {

constexpr Index list_size = 4096;  // interactions evaluated at once; their sums are float, the sums of these double

/// Finds and evaluates the interactions of one group after another.
template <class Law, int D>
class Walk {
public:
    explicit Walk(const TreeNodes<D>& tree) : tree_(tree), nodes_(tree.nodes().data()) {
        for (auto& values : list_at_) values.resize(list_size);
        list_weight_.resize(list_size);
    }

    /// Writes the forces on the members of a group; returns their mass.
    double repel(const TreeNode<D>& group, MatrixView<float> force) {
        // Points in one place feel the same force and, of each other, none: one speaks for all
        const bool one_place = group.reach2 < 0;
        enter(group, one_place ? 1 : group.count);
        search(group);
        double mass = mass_ + flush();
        if (one_place) {
            mass = group.count * (mass + static_cast<double>(group.count - 1) * Law::mass(0.0));
        } else {
            mass += repel_among<Law, D>(members());
        }
        for (Index i = 0; i < group.count; ++i) {
            const Index row = tree_.item(group.first + i);
            for (std::size_t d = 0; d < D; ++d) {
                force(row, static_cast<Index>(d)) =
                    static_cast<float>(force_[d][one_place ? 0 : static_cast<std::size_t>(i)]);
            }
        }
        return mass;
    }

private:
    void enter(const TreeNode<D>& group, Index size) {
        first_ = group.first;
        size_ = size;
        mass_ = 0;
        for (std::size_t d = 0; d < D; ++d) {
            const auto [low, high] = std::minmax_element(tree_.axis(d) + first_, tree_.axis(d) + first_ + size);
            low_[d] = *low;
            high_[d] = *high;
            force_[d].fill(0);
        }
    }

    /// From the root down: a cell that is small seen from every member joins the list, any other is opened.
    void search(const TreeNode<D>& group) {
        open_.assign(1, 0);
        while (!open_.empty()) {
            const TreeNode<D>& cell = nodes_[open_.back()];
            open_.pop_back();
            if (cell.first == group.first && cell.count == group.count) continue;
            if (listed_ + std::max(cell.children, TreeNodes<D>::leaf_size) > list_size) mass_ += flush();
            if (cell.children == 0) {
                list_points(cell);
            } else {
                for (Index c = cell.child; c < cell.child + cell.children; ++c) consider(c, group);
            }
        }
    }

    void consider(Index id, const TreeNode<D>& group) {
        const TreeNode<D>& cell = nodes_[id];
        float distance2 = 0;
        for (std::size_t d = 0; d < D; ++d) {
            const float gap = std::max(std::max(low_[d] - cell.at[d], cell.at[d] - high_[d]), 0.0F);
            distance2 += gap * gap;
            list_at_[d][static_cast<std::size_t>(listed_)] = cell.at[d];
        }
        list_weight_[static_cast<std::size_t>(listed_)] = static_cast<float>(cell.count);
        const bool small = distance2 > cell.reach2 && !cell.holds(group.first);
        listed_ += small ? 1 : 0;
        if (!small) open_.push_back(id);
    }

    void list_points(const TreeNode<D>& leaf) {
        for (Index i = leaf.first; i < leaf.first + leaf.count; ++i) {
            for (std::size_t d = 0; d < D; ++d) list_at_[d][static_cast<std::size_t>(listed_)] = tree_.axis(d)[i];
            list_weight_[static_cast<std::size_t>(listed_++)] = 1;
        }
    }

    double flush() {
        Swarm<D> swarm{};
        for (std::size_t d = 0; d < D; ++d) swarm.at[d] = list_at_[d].data();
        swarm.weight = list_weight_.data();
        swarm.size = listed_;
        listed_ = 0;
        return repel_members<Law, D>(members(), swarm);
    }

    [[nodiscard]] Members<D> members() {
        Members<D> members{};
        for (std::size_t d = 0; d < D; ++d) {
            members.at[d] = tree_.axis(d) + first_;
            members.force[d] = force_[d].data();
        }
        members.size = size_;
        return members;
    }

    const TreeNodes<D>& tree_;
    const TreeNode<D>* nodes_;
    Index first_ = 0, size_ = 0;
    double mass_ = 0;
    std::array<float, D> low_{}, high_{};
    std::array<std::array<double, TreeNodes<D>::group_size>, D> force_{};
    std::vector<Index> open_;
    std::array<std::vector<float>, D> list_at_;
    std::vector<float> list_weight_;
    Index listed_ = 0;
};

}  // namespace

template <class Law>
struct Tree<Law>::State {
    float theta;
    std::variant<TreeNodes<2>, TreeNodes<3>> nodes;

    template <int D>
    void repel(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force, device::Cell<double>& mass) {
        if (!std::holds_alternative<TreeNodes<D>>(nodes)) nodes.template emplace<TreeNodes<D>>();
        auto& tree = std::get<TreeNodes<D>>(nodes);
        tree.build(cpu, y, theta);
        std::vector<Walk<Law, D>> walks(static_cast<std::size_t>(cpu.threads()), Walk<Law, D>(tree));
        // A few groups at a time; the masses are added in their order
        constexpr Offset grain = 8;
        const auto groups = static_cast<Offset>(tree.groups().size());
        std::vector<double> masses(static_cast<std::size_t>((groups + grain - 1) / grain));
        cpu.blocks(groups, grain, [&](Offset begin, Offset end, int worker) {
            double part = 0;
            for (Offset g = begin; g < end; ++g) {
                const Index id = tree.groups()[static_cast<std::size_t>(g)];
                part +=
                    walks[static_cast<std::size_t>(worker)].repel(tree.nodes()[static_cast<std::size_t>(id)], force);
            }
            masses[static_cast<std::size_t>(begin / grain)] = part;
        });
        mass.value = 0;
        for (const double part : masses) mass.value += part;
    }
};

template <class Law>
Tree<Law>::Tree(float theta) : state_(std::make_unique<State>(theta)) {}

template <class Law>
Tree<Law>::~Tree() = default;

template <class Law>
void Tree<Law>::repel(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force,
                      device::Cell<double>& mass) {
    mass.value = 0;
    if (y.rows == 0) return;
    if (y.cols == 2) {
        state_->template repel<2>(cpu, y, force, mass);
    } else {
        state_->template repel<3>(cpu, y, force, mass);
    }
}

template class Tree<StudentT>;

}  // namespace dunlin::forces
