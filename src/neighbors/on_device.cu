#include "neighbors/on_device.cuh"

#include <numeric>

#include "device/sort.cuh"
#include "neighbors/checks.hpp"
#include "neighbors/on_device/blocks.cuh"
#include "neighbors/on_device/brute.cuh"
#include "neighbors/on_device/differences.cuh"
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
    CudaBuffer<Index> which;
    CudaBuffer<Index> nearest_sampled, order;  ///< per query
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

struct CountUp {
    Index* order;
    __device__ void operator()(Offset i) const { order[i] = static_cast<Index>(i); }
};

/// Queries by the sampled row that is nearest: those of one have neighbours in common, which are read once if they are
/// ranked together.
const Index* put_in_order(Cuda& cuda, Index queries, Scratch& scratch) {
    cuda.resize(scratch.order, static_cast<std::size_t>(queries));
    cuda.each(queries, CountUp{scratch.order.data()});
    device::sort_pairs(cuda, scratch.nearest_sampled, scratch.order, 0, 32);
    return scratch.order.data();
}

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
    void sieve_block(const ItemRows& queries, const ItemRows& base, bool merge);
    template <class Sieve>
    void in_pieces(Index begin, Index end, double products_per_row, const Sieve& sieve) const;
    void sieve_halves(const SievePlan& plan, Ranking& ranking);
    void sieve_differences(const SievePlan& plan, std::span<const Index> which, Ranking& ranking);
    void tell(Index done) const;

    Cuda& cuda_;
    Metric metric_;
    Index rows_, degree_;
    ItemSource items_;
    DeviceFrame frame_;
    Index query_block_ = 0, base_block_ = 0;
    int capacity_ = 0;         ///< of a list; 0: all rows are ranked by sorting
    bool halves_ = false;      ///< whether the first sieve is that of halves
    std::uint64_t spare_ = 0;  ///< bytes for sorting
    Scratch scratch_;
    CudaBuffer<Index> base_order_;
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
    constexpr Index few_queries = 1 << 12;
    const Index most_queries = items_.held() ? 1 << 16 : 1 << 18;  // each block of them has all of the base copied
    const std::uint64_t allowed = device::allowance(cuda_);
    const Index least_base = std::min(items_.count(), std::max<Index>(1024, scratch_.nearest.wanted + 1));
    capacity_ = list_capacity(scratch_.nearest.wanted + 1);
    if (!can_rank(cuda_, capacity_)) capacity_ = 0;
    query_block_ = std::min(items_.count(), most_queries);
    base_block_ = items_.count();
    while (wanted_bytes() > allowed && query_block_ > few_queries) query_block_ /= 2;
    while (wanted_bytes() > allowed && base_block_ > least_base) base_block_ = std::max(base_block_ / 2, least_base);
    while (wanted_bytes() > allowed && query_block_ > 1) query_block_ /= 2;
    require_device_memory(wanted_bytes(), allowed, rows_, degree_);
    spare_ = allowed - wanted_bytes() + sorting_bytes(base_block_, degree_);
    prepare(cuda_, query_block_, capacity_, scratch_);
    halves_ = capacity_ > 0 && metric_ != Metric::manhattan && can_sieve(cuda_);
    if (halves_) frame_ = find_frame(cuda_, items_.sample(cuda_));
}

/// sieve(begin, end) for rows of the base, so many at once that a stop is heard every 0.1 s or so.
template <class Sieve>
void Search::in_pieces(Index begin, Index end, double products_per_row, const Sieve& sieve) const {
    constexpr double most_products = 0x1p44;
    const double tiles = std::clamp(most_products / products_per_row / base_tile, 1.0, 1e6);
    const Index piece = static_cast<Index>(tiles) * base_tile;
    for (Index next = 0; begin < end && !stopped(); begin = next) {
        next = end - begin > piece ? begin + piece : end;
        sieve(begin, next);
        if (next < end) cuda_.wait();
    }
}

/// Lists what may be near each query of a block, by halves.
void Search::sieve_halves(const SievePlan& plan, Ranking& ranking) {
    cuda_.resize(scratch_.nearest_sampled, static_cast<std::size_t>(ranking.count));
    sketch_queries(cuda_, ranking.queries.rows, frame_, scratch_.queries);
    list_all(cuda_, scratch_.queries, base_sketch_, plan.ends[0], scratch_.lists);
    for (std::size_t pass = 0; pass + 1 < plan.ends.size(); ++pass) {
        Index* const nearest = pass == 0 ? scratch_.nearest_sampled.data() : nullptr;
        tighten(cuda_, plan.ranks[pass], base_sketch_, scratch_.queries, scratch_.lists, scratch_.reach, nearest);
        const double products = 1.0 * ranking.count * base_sketch_.width;
        in_pieces(plan.ends[pass], plan.ends[pass + 1], products, [&](Index begin, Index end) {
            sieve(cuda_, scratch_.queries, scratch_.reach.limits.data(), base_sketch_, begin, end, scratch_.lists);
        });
    }
    if (plan.ends.size() > 1) ranking.order = put_in_order(cuda_, ranking.count, scratch_);
    ranking.measure.scale = frame_.scale;
    ranking.sketch = &scratch_.queries;
    ranking.base_sketch = &base_sketch_;
}

/// The same for some of a block, by differences.
void Search::sieve_differences(const SievePlan& plan, std::span<const Index> which, Ranking& ranking) {
    cuda_.upload(scratch_.which, which);
    const DifferenceSieve rows{ranking.queries.rows, ranking.base.rows, scratch_.which.data(), base_order_.data(),
                               ranking.count};
    ranking.which = scratch_.which.data();
    ranking.measure = measure_of(rows);
    list_all(cuda_, rows, plan.ends[0], scratch_.lists);
    for (std::size_t pass = 0; pass + 1 < plan.ends.size(); ++pass) {
        tighten_differences(cuda_, ranking.count, plan.ranks[pass], ranking.measure, scratch_.lists, scratch_.reach);
        const double products = 16.0 * ranking.count * items_.cols();  // as much slower as they are
        in_pieces(plan.ends[pass], plan.ends[pass + 1], products, [&](Index begin, Index end) {
            sieve(cuda_, rows, scratch_.reach.limits.data(), begin, end, scratch_.lists);
        });
    }
}

/// Finds the nearest of a block of queries in a block of the base: by halves, what these leave by differences, and
/// what those leave by sorting all.
void Search::sieve_block(const ItemRows& queries, const ItemRows& base, bool merge) {
    const SievePlan plan = plan_sieve(base.rows.count, scratch_.nearest.wanted + 1, base_tile);
    std::vector<Index> left(static_cast<std::size_t>(queries.rows.count));
    std::iota(left.begin(), left.end(), 0);
    for (const bool halves : {true, false}) {
        if (capacity_ == 0 || left.empty() || (halves && !halves_)) continue;
        Ranking ranking{.queries = queries, .base = base, .count = static_cast<Index>(left.size()), .merge = merge};
        reset(cuda_, ranking.count, scratch_.reach);
        cuda_.fill(scratch_.lists.counts, scratch_.lists.counts.size(), static_cast<int>(plan.ends[0]));
        if (halves) sieve_halves(plan, ranking);
        if (!halves) sieve_differences(plan, left, ranking);
        rank(cuda_, ranking, scratch_.lists, scratch_.reach, scratch_.nearest, scratch_.left);
        left = still_left(cuda_, scratch_.left, left);
    }
    if (!left.empty()) rank_by_sorting(cuda_, queries, left, base, merge, spare_, scratch_.nearest);
}

/// Fills scratch_.nearest for items [first, first + count).
void Search::search_block(Index first, Index count) {
    const ItemRows queries = items_.load(cuda_, first, count, loaded_queries_);
    for (Index begin = 0; begin < items_.count() && !stopped(); begin += base_block_) {
        const Index rows = std::min(base_block_, items_.count() - begin);
        const ItemRows base = items_.load(cuda_, begin, rows, loaded_base_);
        const bool prepared = rows == items_.count() && first > 0;  // all of the base, as for the block before
        if (!prepared) order_base(cuda_, rows, base_order_);
        if (!prepared && halves_) sketch_base(cuda_, base.rows, base_order_, frame_, base_sketch_);
        sieve_block(queries, base, begin > 0);
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
