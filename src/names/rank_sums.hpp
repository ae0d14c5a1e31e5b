// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "device/cpu.hpp"
#include "names/columns_by_home.hpp"
#include "names/formulas.hpp"
#include "names/groups.hpp"
#include "numerics/sort.hpp"

namespace dunlin::naming {

/// What a column says of a group.
struct ColumnInGroup {
    Index group = 0;
    RankTest test;
    Moments inside, base;
};
using UseColumn = std::function<void(const ColumnInGroup&)>;

/// Compares groups with their others in one column at a time. The entries are sorted once; zeros are one tie, and are
/// not visited. A worker has one of its own.
class RankSums {
public:
    /// children, sizes (points that take part, per group) and the tree must outlive it.
    RankSums(const GroupTree& tree, const Children& children, const std::vector<Offset>& sizes, Against against);

    /// Calls use() for the groups in [first, end): among siblings for those whose base has entries. entries: of a
    /// column, other than 0.
    void visit(std::span<const HomeValue> entries, Index first, Index end, const UseColumn& use);

    static std::uint64_t bytes(std::uint64_t groups, std::uint64_t rows) {
        return groups * sizeof(Sums) + rows * (2 * sizeof(numerics::Keyed) + 2 * sizeof(HomeValue));
    }

private:
    /// Of the entries of a group.
    struct Sums {
        double ranks = 0;
        Moments moments;
        Offset next = 0;  ///< where its entries go
    };
    /// The entries of a base, ascending, and the sums that its groups share.
    struct Segment {
        Index base = 0;
        std::size_t begin = 0, end = 0;
    };
    struct Shared {
        double zero_rank = 0, ties = 0;
        Moments moments;
    };

    void sort(std::span<const HomeValue> entries);
    void visit_rest(Index first, Index end, const UseColumn& use);
    void visit_siblings(const Segment& segment, Index first, Index end, const UseColumn& use);
    void distribute(const Segment& segment, std::vector<Segment>& segments);
    /// Adds the ranks and moments of a segment's entries to the sums of their groups: group_of(home), -1: none.
    template <class GroupOf>
    Shared add_ranks(const Segment& segment, const GroupOf& group_of);
    void tell(Index group, const Shared& shared, Index base, const UseColumn& use);

    const GroupTree& tree_;
    const Children& children_;
    const std::vector<Offset>& sizes_;
    Against against_;
    device::Cpu alone_{1};
    numerics::RadixSort radix_;
    std::vector<numerics::Keyed> keyed_;
    std::vector<HomeValue> sorted_, spare_;
    std::vector<Sums> sums_;
};

}  // namespace dunlin::naming
