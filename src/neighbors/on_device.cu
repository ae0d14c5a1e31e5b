#include "neighbors/on_device.cuh"

#include <numeric>

#include "neighbors/checks.hpp"
#include "neighbors/on_device/blocks.cuh"
#include "neighbors/on_device/brute.cuh"
#include "neighbors/on_device/emit.cuh"
#include "neighbors/on_device/plan.hpp"
#include "neighbors/on_device/sieve.cuh"

namespace dunlin::neighbors {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// What a block of queries is searched with.
struct Scratch {
    Sketch queries;
    Lists lists;
    Reach reach;
    Nearest nearest;
    CudaBuffer<std::uint8_t> left;
};

std::uint64_t scratch_bytes_per_query(int capacity, Index cols, Index degree) {
    return sketch_bytes(1, cols) + static_cast<std::uint64_t>(capacity) * sizeof(Entry) +
           static_cast<std::uint64_t>(degree) * 28 + 64;
}

void prepare(Cuda& cuda, Index queries, int capacity, Scratch& scratch) {
    const auto count = static_cast<std::size_t>(queries), wanted = static_cast<std::size_t>(scratch.nearest.wanted);
    scratch.lists.capacity = capacity;
    cuda.resize(scratch.lists.entries, count * static_cast<std::size_t>(capacity));
    cuda.resize(scratch.lists.counts, count);
    cuda.resize(scratch.nearest.keys, count * wanted);
    cuda.resize(scratch.nearest.items, count * wanted);
    cuda.resize(scratch.left, count);
}

/// The queries that are left, as places in their block.
std::vector<Index> read_left(Cuda& cuda, const CudaBuffer<std::uint8_t>& left, Index count) {
    std::vector<std::uint8_t> marks(static_cast<std::size_t>(count));
    cuda.copy_out(marks.data(), left.data(), marks.size());
    std::vector<Index> which;
    for (Index q = 0; q < count; ++q) {
        if (marks[static_cast<std::size_t>(q)] != 0) which.push_back(q);
    }
    return which;
}

/// One search: its rows, how they are cut, and the buffers that all blocks use.
class Search {
public:
    Search(Cuda& cuda, const device::DevicePoints& points, Index k, Metric metric);

    graph::DeviceGraph run();

private:
    void plan();
    [[nodiscard]] std::uint64_t wanted_bytes() const;
    [[nodiscard]] bool stopped() const { return cuda_.run().stop.stop_requested(); }
    void search_block(Index first, Index count);
    std::vector<Index> sieve_block(const ItemRows& queries, const ItemRows& base, bool merge);
    void tell(Index done) const;

    Cuda& cuda_;
    Metric metric_;
    Index rows_, degree_;
    ItemSource items_;
    DeviceFrame frame_;
    Index query_block_ = 0, base_block_ = 0;
    int capacity_ = 0;         ///< of a list; 0: all rows are ranked by sorting
    std::uint64_t spare_ = 0;  ///< bytes for sorting
    Scratch scratch_;
    Sketch base_sketch_;
    LoadedRows loaded_queries_, loaded_base_;
};

Search::Search(Cuda& cuda, const device::DevicePoints& points, Index k, Metric metric)
    : cuda_(cuda),
      metric_(metric),
      rows_(points.host.rows),
      degree_(std::min(k, points.host.rows - 1)),
      items_(cuda, points, metric) {
    scratch_.nearest.wanted = std::min(degree_, items_.count() - 1);
    plan();
}

std::uint64_t Search::wanted_bytes() const {
    const std::uint64_t query = scratch_bytes_per_query(capacity_, items_.cols(), degree_) + items_.bytes_per_row();
    const std::uint64_t base = sketch_bytes(1, items_.cols()) + items_.bytes_per_row();
    const std::uint64_t graph = static_cast<std::uint64_t>(rows_) * (static_cast<std::uint64_t>(degree_) * 8 + 8);
    return graph + static_cast<std::uint64_t>(query_block_ + query_tile) * query +
           static_cast<std::uint64_t>(base_block_ + base_tile) * base + sorting_bytes(base_block_, degree_);
}

/// Blocks as large as memory allows: the queries' first become smaller, then the base's.
void Search::plan() {
    constexpr Index most_queries = 1 << 16, few_queries = 1 << 12;
    const std::uint64_t allowed = device::allowance(cuda_);
    const Index least_base = std::min(items_.count(), std::max<Index>(1024, scratch_.nearest.wanted + 1));
    if (metric_ != Metric::manhattan) capacity_ = list_capacity(scratch_.nearest.wanted + 1);
    if (!can_rank(cuda_, capacity_)) capacity_ = 0;
    query_block_ = std::min(items_.count(), most_queries);
    base_block_ = items_.count();
    while (wanted_bytes() > allowed && query_block_ > few_queries) query_block_ /= 2;
    while (wanted_bytes() > allowed && base_block_ > least_base) base_block_ = std::max(base_block_ / 2, least_base);
    while (wanted_bytes() > allowed && query_block_ > 1) query_block_ /= 2;
    require_device_memory(wanted_bytes(), allowed, rows_, degree_);
    spare_ = allowed - wanted_bytes() + sorting_bytes(base_block_, degree_);
    prepare(cuda_, query_block_, capacity_, scratch_);
    if (capacity_ > 0) frame_ = find_frame(cuda_, items_.sample(cuda_));
}

/// Lists what may be near each query and ranks it; returns the queries this could not settle.
std::vector<Index> Search::sieve_block(const ItemRows& queries, const ItemRows& base, bool merge) {
    const Index count = queries.rows.count;
    const SievePlan plan = plan_sieve(base.rows.count, scratch_.nearest.wanted + 1, base_tile);
    Lists& lists = scratch_.lists;
    sketch_queries(cuda_, queries.rows, frame_, scratch_.queries);
    reset(cuda_, count, scratch_.reach);
    cuda_.fill(lists.counts, lists.counts.size(), static_cast<int>(plan.ends[0]));
    list_all(cuda_, scratch_.queries, base_sketch_, plan.ends[0], lists);
    for (std::size_t pass = 0; pass + 1 < plan.ends.size(); ++pass) {
        tighten(cuda_, plan.ranks[pass], base_sketch_, scratch_.queries, lists, scratch_.reach);
        sieve(cuda_, scratch_.queries, scratch_.reach.reach.data(), base_sketch_, plan.ends[pass], plan.ends[pass + 1],
              lists);
    }
    rank(cuda_, queries, scratch_.queries, base, base_sketch_, frame_, lists, scratch_.reach, merge, scratch_.nearest,
         scratch_.left);
    return read_left(cuda_, scratch_.left, count);
}

/// Fills scratch_.nearest for items [first, first + count).
void Search::search_block(Index first, Index count) {
    const ItemRows queries = items_.load(cuda_, first, count, loaded_queries_);
    for (Index begin = 0; begin < items_.count() && !stopped(); begin += base_block_) {
        const Index rows = std::min(base_block_, items_.count() - begin);
        const ItemRows base = items_.load(cuda_, begin, rows, loaded_base_);
        const bool alone = rows == items_.count(), merge = begin > 0;
        if (capacity_ > 0 && (!alone || first == 0)) sketch_base(cuda_, base.rows, frame_, base_sketch_);
        std::vector<Index> left(static_cast<std::size_t>(count));
        std::iota(left.begin(), left.end(), 0);
        if (capacity_ > 0) left = sieve_block(queries, base, merge);
        if (!left.empty()) rank_by_sorting(cuda_, queries, left, base, merge, spare_, scratch_.nearest);
    }
}

void Search::tell(Index done) const {
    const Run& run = cuda_.run();
    if (run.on_progress) run.on_progress({.stage = "neighbors", .done = done, .total = items_.count()});
}

graph::DeviceGraph Search::run() {
    graph::DeviceGraph graph = empty_lists(cuda_, rows_, degree_);
    if (degree_ == 0) return graph;
    for (Index first = 0; first < items_.count() && !stopped(); first += query_block_) {
        const Index count = std::min(query_block_, items_.count() - first);
        search_block(first, count);
        emit(cuda_, items_.groups(), first, count, scratch_.nearest, metric_, degree_, graph);
        tell(first + count);
    }
    if (stopped()) return {};
    return graph;
}

}  // namespace

graph::DeviceGraph search_on_device(Cuda& cuda, const device::DevicePoints& points, Index k, Metric metric) {
    check_search(points.host.rows, k);
    return Search(cuda, points, k, metric).run();
}

}  // namespace dunlin::neighbors
