#include "neighbors/on_device/block_search.cuh"

#include <algorithm>
#include <numeric>

#include "device/sort.cuh"
#include "neighbors/on_device/brute.cuh"
#include "neighbors/on_device/differences.cuh"
#include "neighbors/on_device/sieve.cuh"

namespace dunlin::neighbors {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// What is listed of the first `tiles` that are visited.
struct CountFirst {
    const Index *which, *visited;
    Index tiles;
    int* counts;
    __device__ void operator()(Offset q) const {
        counts[q] = which[q] >= 0 ? min(tiles, visited[q / query_tile]) * base_tile : no_query;
    }
};

/// Those of `asked` that are marked.
std::vector<Index> still_left(Cuda& cuda, const CudaBuffer<std::uint8_t>& marked, std::span<const Index> asked) {
    std::vector<std::uint8_t> marks(asked.size());
    cuda.copy_out(marks.data(), marked.data(), marks.size());
    std::vector<Index> left;
    for (std::size_t q = 0; q < asked.size(); ++q) {
        if (marks[q] != 0) left.push_back(asked[q]);
    }
    return left;
}

}  // namespace

BlockSearch::BlockSearch(Cuda& cuda, Metric metric, Index cols, Index wanted)
    : cuda_(cuda), metric_(metric), cols_(cols), capacity_(list_capacity(wanted + 1)) {
    nearest_.wanted = wanted;
    if (!can_rank(cuda_, capacity_)) capacity_ = 0;
}

std::uint64_t BlockSearch::bytes_per_query() const {
    return sketch_bytes(1, cols_) + static_cast<std::uint64_t>(capacity_) * sizeof(Entry) +
           static_cast<std::uint64_t>(nearest_.wanted) * 28 + 64;
}

bool BlockSearch::has_halves() const {
    const bool squares = metric_ != Metric::manhattan && metric_ != Metric::inner_product;
    return capacity_ > 0 && squares && can_sieve(cuda_);
}

void BlockSearch::prepare(Index queries, Index lists, std::uint64_t spare, const DeviceRows& sample) {
    spare_ = spare;
    if (has_halves()) frame_ = find_frame(cuda_, sample);
    const auto rows = static_cast<std::size_t>(queries), count = static_cast<std::size_t>(lists),
               wanted = static_cast<std::size_t>(nearest_.wanted);
    lists_.capacity = capacity_;
    cuda_.resize(lists_.entries, count * static_cast<std::size_t>(capacity_));
    cuda_.resize(lists_.counts, count);
    cuda_.resize(nearest_.keys, rows * wanted);
    cuda_.resize(nearest_.items, rows * wanted);
    cuda_.resize(left_, count);
}

void BlockSearch::set_base(const ItemRows& base) {
    base_ = base;
    plan_ = plan_sieve(base.rows.count, nearest_.wanted + 1, base_tile);
    order_base(cuda_, base.rows.count, base_order_);
    if (has_halves()) sketch_base(cuda_, base.rows, base_order_, frame_, base_sketch_);
}

/// sieve(begin, end) for rows of the base, so many at once that a stop is heard every 0.1 s or so.
template <class Sieve>
void BlockSearch::in_pieces(Index begin, Index end, double products_per_row, const Sieve& sieve) const {
    constexpr double most_products = 0x1p44;
    const double tiles = std::clamp(most_products / products_per_row / base_tile, 1.0, 1e6);
    const Index piece = static_cast<Index>(tiles) * base_tile;
    for (Index next = 0; begin < end && !cuda_.run().stop.stop_requested(); begin = next) {
        next = end - begin > piece ? begin + piece : end;
        sieve(begin, next);
        if (next < end) cuda_.wait();
    }
}

void BlockSearch::describe_halves(Ranking& ranking) const {
    ranking.measure.scale = frame_.scale;
    ranking.sketch = &queries_;
    ranking.base_sketch = &base_sketch_;
}

/// Lists what may be near each query of a block, by halves. Queries by the sampled row that is nearest: those of one
/// have neighbours in common, which are read once if they are ranked together.
void BlockSearch::sieve_halves(Ranking& ranking) {
    const auto count = static_cast<std::size_t>(ranking.count);
    cuda_.resize(nearest_sampled_, count);
    cuda_.fill(lists_.counts, lists_.counts.size(), static_cast<int>(plan_.ends[0]));
    sketch_queries(cuda_, ranking.queries.rows, nullptr, ranking.count, frame_, queries_);
    list_all(cuda_, queries_, base_sketch_, {}, tiles_of(plan_.ends[0]), lists_);
    for (std::size_t pass = 0; pass + 1 < plan_.ends.size(); ++pass) {
        tighten(cuda_, plan_.ranks[pass], base_sketch_, queries_, lists_, reach_,
                pass == 0 ? nearest_sampled_.data() : nullptr);
        const double products = 1.0 * ranking.count * base_sketch_.width;
        in_pieces(plan_.ends[pass], plan_.ends[pass + 1], products, [&](Index begin, Index end) {
            sieve(cuda_, queries_, reach_.limits.data(), base_sketch_, {}, begin / base_tile, tiles_of(end), lists_);
        });
    }
    if (plan_.ends.size() > 1) {
        device::count_up(cuda_, ranking.count, order_);
        device::sort_pairs(cuda_, nearest_sampled_, order_, 0, 32);
        ranking.order = order_.data();
    }
    describe_halves(ranking);
}

/// Sieves what is visited from place `begin` on, four times as much in each pass; from the first place on in one.
void BlockSearch::sieve_rest(const CellBlock& block, Index lists, Index begin) {
    const Index longest = block.visits.longest();
    const double products = 1.0 * lists * base_sketch_.width;
    while (begin < longest) {
        const Index end = begin > 0 && begin < longest / 4 ? 4 * begin : longest;
        in_pieces(begin * base_tile, end * base_tile, products, [&](Index from, Index to) {
            sieve(cuda_, queries_, reach_.limits.data(), base_sketch_,
                  block.visits.view(from / base_tile, to / base_tile), from / base_tile, to / base_tile, lists_);
        });
        tighten(cuda_, nearest_.wanted + 1, base_sketch_, queries_, lists_, reach_, nullptr, again_.data());
        begin = end;
    }
}

/// The same from what is visited. What comes first is a sample of all that is near, so that a pass over four times as
/// much lists about as much as it keeps. Where it lists too much, as around a sparse cell beside dense ones, the k-th
/// of what the list held is the reach for another round, as long as that helps.
void BlockSearch::sieve_visits(CellBlock& block, Ranking& ranking) {
    const Index first = capacity_ / base_tile;
    cuda_.each(ranking.count, CountFirst{block.which.data(), block.visits.counts.data(), first, lists_.counts.data()});
    cuda_.fill(again_, lists_.counts.size(), std::uint8_t{0});
    sketch_queries(cuda_, ranking.queries.rows, block.which.data(), ranking.count, frame_, queries_);
    list_all(cuda_, queries_, base_sketch_, block.visits.view(0, first), first, lists_);
    tighten(cuda_, nearest_.wanted + 1, base_sketch_, queries_, lists_, reach_, nullptr, again_.data());
    sieve_rest(block, ranking.count, first);
    for (Index before = 2 * ranking.count, left = 0;; before = left) {
        left = begin_again(cuda_, queries_, lists_, again_, block.visits.counts);
        if (left == 0 || left > before / 4 * 3) break;
        block.visits.lengths = cuda_.host(block.visits.counts);
        sieve_rest(block, ranking.count, 0);
    }
    describe_halves(ranking);
}

/// Lists what may be near some queries of a block, by differences. order: of the base's rows that are looked at.
void BlockSearch::sieve_differences(std::span<const Index> which, const Index* order, const SievePlan& plan,
                                    Ranking& ranking) {
    cuda_.upload(which_, which);
    const DifferenceSieve rows{ranking.queries.rows, base_.rows, which_.data(), order, ranking.count};
    ranking.which = which_.data();
    ranking.measure = measure_of(rows);
    cuda_.fill(lists_.counts, lists_.counts.size(), static_cast<int>(plan.ends[0]));
    list_all(cuda_, rows, plan.ends[0], lists_);
    for (std::size_t pass = 0; pass + 1 < plan.ends.size(); ++pass) {
        tighten_differences(cuda_, ranking.count, plan.ranks[pass], ranking.measure, lists_, reach_);
        const double products = 16.0 * ranking.count * cols_;  // as much slower as they are
        in_pieces(plan.ends[pass], plan.ends[pass + 1], products,
                  [&](Index begin, Index end) { sieve(cuda_, rows, reach_.limits.data(), begin, end, lists_); });
    }
}

/// Returns the queries whose lists cannot be trusted.
std::vector<Index> BlockSearch::rank_lists(const Ranking& ranking, std::span<const Index> asked) {
    rank(cuda_, ranking, lists_, reach_, nearest_, left_);
    return still_left(cuda_, left_, asked);
}

/// Ranks some queries of a block by differences; returns those that are still left.
std::vector<Index> BlockSearch::rank_differences(const ItemRows& queries, std::span<const Index> which,
                                                 const Index* order, const SievePlan& plan, bool merge) {
    Ranking ranking{.queries = queries, .base = base_, .count = static_cast<Index>(which.size()), .merge = merge};
    reset(cuda_, ranking.count, reach_);
    sieve_differences(which, order, plan, ranking);
    return rank_lists(ranking, which);
}

void BlockSearch::search(const ItemRows& queries, bool merge) {
    std::vector<Index> left(static_cast<std::size_t>(queries.rows.count));
    std::iota(left.begin(), left.end(), 0);
    if (has_halves()) {
        Ranking ranking{.queries = queries, .base = base_, .count = queries.rows.count, .merge = merge};
        reset(cuda_, ranking.count, reach_);
        sieve_halves(ranking);
        left = rank_lists(ranking, left);
    }
    if (capacity_ > 0 && !left.empty()) left = rank_differences(queries, left, base_order_.data(), plan_, merge);
    if (!left.empty()) rank_by_sorting(cuda_, queries, left, base_, merge, spare_, nearest_);
}

void BlockSearch::search(const ItemRows& queries, const DeviceRows& sample, const Cells& cells, CellBlock& block) {
    constexpr double room = 64;  // cells hold rows of the haze around them too
    frame_ = find_frame(cuda_, sample, room);
    sketch_base(cuda_, base_.rows, block.base, frame_, base_sketch_);
    Ranking ranking{.queries = queries,
                    .base = base_,
                    .which = block.which.data(),
                    .count = static_cast<Index>(block.which.size())};
    reset(cuda_, ranking.count, reach_);
    sieve_visits(block, ranking);
    const std::vector<Index> left = rank_lists(ranking, cuda_.host(block.which));
    for (auto begin = left.begin(); begin != left.end();) {
        const Index cell = cells.cell_of(block.first + *begin);
        const auto end =
            std::find_if(begin, left.end(), [&](Index row) { return cells.cell_of(block.first + row) != cell; });
        search_visited(queries, {begin, end}, visited_by(cuda_, cells, cell));
        begin = end;
    }
}

/// What is left of a cell: by differences among what it visits, and what these leave by sorting all.
void BlockSearch::search_visited(const ItemRows& queries, std::vector<Index> left, const VisitedItems& visited) {
    left = rank_differences(queries, left, visited.order.data(),
                            plan_sieve(visited.count, nearest_.wanted + 1, base_tile), false);
    if (!left.empty()) rank_by_sorting(cuda_, queries, left, base_, false, spare_, nearest_);
}

}  // namespace dunlin::neighbors
