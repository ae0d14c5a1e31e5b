// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/search.cuh"

#include <algorithm>
#include <future>

#include "checkpoint/remembered.hpp"
#include "checkpoint/session.hpp"
#include "device/ranks.cuh"
#include "neighbors/checks.hpp"
#include "neighbors/cuda/cells/cell_search.cuh"
#include "neighbors/cuda/codes/product_quantized.cuh"
#include "neighbors/cuda/emit.cuh"
#include "neighbors/cuda/exact/block_search.cuh"
#include "neighbors/cuda/exact/brute_force.cuh"
#include "neighbors/cuda/item_search.cuh"
#include "neighbors/cuda/rows.cuh"
#include "progress/progress.hpp"

namespace dunlin::neighbors {

namespace {

using device::Cuda;

/// The blocks of the base, for each block of queries in turn. If the points are in host memory, the next block is
/// copied on a stream of its own while one is searched.
class BaseBlocks {
public:
    BaseBlocks(Cuda& cuda, const ItemSource& items) : cuda_(cuda), items_(items), copying_(cuda.run()) {}

    void cut(Index rows) { rows_ = rows; }
    /// Number of buffers for the base.
    [[nodiscard]] static int copies(const ItemSource& items, Index rows) {
        return items.held() || rows >= items.count() ? 1 : 2;
    }

    /// The block that starts at `begin`; the previous one becomes invalid. again: the first block follows the last.
    ItemRows at(Index begin, bool again) {
        if (items_.held()) return load(begin, cuda_, 0);
        if (!coming_.valid()) start(begin);
        const ItemRows rows = coming_.get();
        const Index end = std::min(items_.count() - begin, rows_) + begin;
        if (end < items_.count()) start(end);
        if (end == items_.count() && begin > 0 && again) start(0);
        return rows;
    }

private:
    ItemRows load(Index begin, Cuda& cuda, int slot) {
        return items_.load(cuda, begin, std::min(rows_, items_.count() - begin), loaded_[slot]);
    }
    void start(Index begin) {
        cuda_.wait();  // kernels may still read the buffer
        slot_ = 1 - slot_;
        coming_ = std::async(std::launch::async, [this, begin, slot = slot_] {
            device::cuda_check(cudaSetDevice(cuda_.run().gpu()));
            const ItemRows rows = load(begin, copying_, slot);
            copying_.wait();
            return rows;
        });
    }

    Cuda& cuda_;
    const ItemSource& items_;
    Cuda copying_;
    LoadedRows loaded_[2];
    Index rows_ = 0;
    int slot_ = 0;
    std::future<ItemRows> coming_;  ///< last, so that it is destroyed, and waited for, first
};

/// Exact search in blocks of queries and of the base.
class ExactSearch {
public:
    ExactSearch(Cuda& cuda, const ItemSearch& search)
        : cuda_(cuda),
          items_(search.items),
          apart_(search.apart),
          metric_(search.metric),
          rows_(search.lists()),
          degree_(search.list_degree()),
          blocks_(cuda, search.metric, search.items.cols(), search.wanted()),
          base_(cuda, search.items) {
        plan();
    }

    graph::DeviceGraph run();

private:
    void plan();
    [[nodiscard]] std::uint64_t query_bytes() const;
    [[nodiscard]] std::uint64_t base_bytes() const;
    [[nodiscard]] std::uint64_t wanted_bytes() const;
    [[nodiscard]] bool stopped() const { return cuda_.run().stop.stop_requested(); }
    [[nodiscard]] Index queries() const { return apart_ != nullptr ? apart_->count() : items_.count(); }
    /// Those whose lists are found here: of several ranks, a share.
    [[nodiscard]] device::Slice own_queries() const {
        const device::Rank* const rank = device::Rank::current();
        return rank != nullptr ? rank->slice(queries()) : device::Slice{0, queries()};
    }
    void search_block(Index first, Index count, bool has_base);
    void write(Index first, Index count, graph::DeviceGraph& graph);

    Cuda& cuda_;
    ItemSource& items_;
    const ApartQueries* apart_;  ///< null: the queries are the items
    Metric metric_;
    Index rows_, degree_;
    BlockSearch blocks_;
    Index query_block_ = 0, base_block_ = 0;
    LoadedRows loaded_queries_;
    BaseBlocks base_;
};

std::uint64_t ExactSearch::query_bytes() const {
    const std::uint64_t row = apart_ != nullptr ? apart_->bytes_per_row() : items_.bytes_per_row();
    return static_cast<std::uint64_t>(query_block_ + query_tile) * (blocks_.bytes_per_query() + row);
}

std::uint64_t ExactSearch::base_bytes() const {
    const auto copies = static_cast<std::uint64_t>(BaseBlocks::copies(items_, base_block_));
    return static_cast<std::uint64_t>(base_block_ + base_tile) *
           (blocks_.bytes_per_base_row() + copies * items_.bytes_per_row());
}

std::uint64_t ExactSearch::wanted_bytes() const {
    return graph_bytes(rows_, degree_) + query_bytes() + base_bytes() + sorting_bytes(base_block_, degree_);
}

/// Chooses blocks as large as memory allows: reduces those of queries first, then those of the base.
void ExactSearch::plan() {
    constexpr Index few_queries = 1 << 12;
    const Index most_queries = items_.held() ? 1 << 16 : 1 << 18;  // each block of queries copies the whole base
    const std::uint64_t allowed = device::allowance(cuda_);
    const Index least_base = std::min(items_.count(), std::max<Index>(1024, degree_ + 1));
    const device::Rank* const rank = device::Rank::current();
    query_block_ =
        std::min(rank != nullptr ? (queries() + rank->count() - 1) / rank->count() : queries(), most_queries);
    base_block_ = items_.count();
    // For host points: few blocks of queries, each of which copies the base, and few blocks of the base, which are
    // merged
    const Index few = std::max(few_queries, least_base);
    while (!items_.held() && wanted_bytes() > allowed && std::min(query_block_, base_block_) >= 2 * few) {
        Index& larger = query_bytes() > base_bytes() ? query_block_ : base_block_;
        larger /= 2;
    }
    while (wanted_bytes() > allowed && query_block_ > few_queries) query_block_ /= 2;
    while (wanted_bytes() > allowed && base_block_ > least_base) base_block_ = std::max(base_block_ / 2, least_base);
    while (wanted_bytes() > allowed && query_block_ > 1) query_block_ /= 2;
    require_device_memory(wanted_bytes(), allowed, rows_, degree_);
    base_.cut(base_block_);
    const std::uint64_t spare = allowed - wanted_bytes() + sorting_bytes(base_block_, degree_);
    blocks_.prepare(query_block_, query_block_, spare, items_.sample(cuda_, 0, items_.count()));
}

/// Finds the nearest of queries [first, first + count). has_base: the last block of the base is there from the previous
/// queries.
void ExactSearch::search_block(Index first, Index count, bool has_base) {
    const ItemRows block = apart_ != nullptr ? apart_->load(cuda_, first, count, loaded_queries_)
                                             : items_.load(cuda_, first, count, loaded_queries_);
    for (Index begin = 0; begin < items_.count() && !stopped(); begin += base_block_) {
        const Index rows = std::min(base_block_, items_.count() - begin);
        const bool prepared = rows == items_.count() && has_base;  // the whole base, as for the previous block
        if (!prepared) blocks_.set_base(base_.at(begin, first + count < own_queries().end));
        blocks_.search(block, begin > 0);
    }
}

void ExactSearch::write(Index first, Index count, graph::DeviceGraph& graph) {
    const CudaDistinctRows& groups = items_.groups();
    if (apart_ != nullptr)
        return emit_queries(cuda_, groups, {first}, count, blocks_.nearest(), metric_, degree_, graph);
    emit(cuda_, groups, first, count, blocks_.nearest(), metric_, degree_, graph);
}

graph::DeviceGraph ExactSearch::run() {
    graph::DeviceGraph graph = empty_lists(cuda_, rows_, degree_);
    const device::Slice own = own_queries();
    const auto begin = static_cast<Index>(own.begin), end = static_cast<Index>(own.end);
    progress::ProgressReporter reporter(cuda_.run(), "neighbors", own.size());
    checkpoint::Loop loop("neighbors");
    Index first = begin;  // the lists of the queries before it are written; a list depends on no other query
    const auto is_target = [&](Index target) { return target >= -1 && target < rows_; };
    const auto is_weight = [](float weight) { return !std::isnan(weight); };
    const checkpoint::Remembered lists(cuda_, checkpoint::Checked{graph.targets, is_target},
                                       checkpoint::Checked{graph.weights, is_weight});
    loop.resume([&](auto& archive) {
        archive(first);
        archive.require(first >= begin && first <= end, "number of queries");
        lists.read(archive);
    });
    const auto write_state = [&](auto& archive) { archive(first), lists.write(archive); };
    for (bool has_base = false; first < end && !stopped(); has_base = true) {
        const Index count = std::min(query_block_, end - first);
        search_block(first, count, has_base);
        if (stopped()) break;  // some lists are not written
        write(first, count, graph);
        reporter.tick((first += count) - begin);
        if (first < end) loop.offer(first, write_state);
    }
    first < end ? loop.save(first, write_state) : loop.end_run(first, write_state);
    return graph;
}

/// Squares of larger values overflow float32 when cells are made. Directions are bounded.
void require_moderate(Cuda& cuda, const device::DevicePoints& points, Metric metric) {
    constexpr float most = 1e15F;
    if (metric != Metric::euclidean) return;
    const MatrixView<const float> host = points.host;
    const Index bad = first_beyond(cuda, {.values = points.values(), .count = host.rows, .cols = host.cols}, most);
    if (bad < host.rows) fail_for_large_values(bad, most);
}

FoundOnDevice search_items(Cuda& cuda, const device::DevicePoints& points, const ItemSearch& search,
                           const SearchParameters& parameters) {
    FoundOnDevice found;
    if (search.lists() == 0 || search.list_degree() == 0) {
        found.graph = empty_lists(cuda, search.lists(), 0);
    } else if (parameters.codes > 0 && can_search_codes(cuda, search, parameters)) {
        found = search_product_quantized(cuda, search, parameters);
    } else if (parameters.exact || parameters.codes > 0 || !can_search_cells(cuda, search)) {
        const bool refused = !parameters.exact && parameters.codes == 0;
        const Index items = search.items.count();
        if (refused && parameters.probes) fail_for_exact_on_gpu("probes", *parameters.probes, items);
        if (refused && parameters.cells) fail_for_exact_on_gpu("cells", *parameters.cells, items);
        found.graph = ExactSearch(cuda, search).run();
    } else {
        require_moderate(cuda, points, search.metric);
        found = search_cells(cuda, search, parameters);
    }
    if (device::stops(cuda.run())) {
        found.graph = {};
    } else if (device::Rank* const rank = device::Rank::current(); rank != nullptr) {
        join_lists(cuda, *rank, found.graph);
    }
    return found;
}

}  // namespace

FoundOnDevice search_on_device(Cuda& cuda, const device::DevicePoints& points, Index k, Metric metric,
                               const SearchParameters& parameters) {
    check_search(points.host.rows, k);
    ItemSource items(cuda, points, metric);
    return search_items(cuda, points, {items, points.host.rows, k, metric}, parameters);
}

FoundOnDevice search_queries_on_device(Cuda& cuda, const device::DevicePoints& points, MatrixView<const float> queries,
                                       Index k, Metric metric, const SearchParameters& parameters) {
    check_search(points.host.rows, k);
    check_queries(points.host, queries);
    if (queries.rows == 0) return {.graph = empty_lists(cuda, 0, 0)};
    ItemSource items(cuda, points, metric);
    const ApartQueries apart(queries, metric, items.count());
    return search_items(cuda, points, {items, points.host.rows, k, metric, &apart}, parameters);
}

}  // namespace dunlin::neighbors
