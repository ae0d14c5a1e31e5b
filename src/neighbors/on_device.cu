#include "neighbors/on_device.cuh"

#include <algorithm>

#include "neighbors/checks.hpp"
#include "neighbors/on_device/approximate.cuh"
#include "neighbors/on_device/block_search.cuh"
#include "neighbors/on_device/brute.cuh"
#include "neighbors/on_device/emit.cuh"
#include "neighbors/watch.hpp"

namespace dunlin::neighbors {

namespace {

using device::Cuda;

/// The exact search: how it is cut into blocks of queries and of the base.
class ExactSearch {
public:
    ExactSearch(Cuda& cuda, ItemSource& items, Index rows, Index degree, Metric metric)
        : cuda_(cuda),
          items_(items),
          metric_(metric),
          rows_(rows),
          degree_(degree),
          blocks_(cuda, metric, items.cols(), std::min(degree, items.count() - 1)) {
        plan();
    }

    graph::DeviceGraph run();

private:
    void plan();
    [[nodiscard]] std::uint64_t wanted_bytes() const;
    [[nodiscard]] bool stopped() const { return cuda_.run().stop.stop_requested(); }
    void search_block(Index first, Index count);

    Cuda& cuda_;
    ItemSource& items_;
    Metric metric_;
    Index rows_, degree_;
    BlockSearch blocks_;
    Index query_block_ = 0, base_block_ = 0;
    LoadedRows loaded_queries_, loaded_base_;
};

std::uint64_t ExactSearch::wanted_bytes() const {
    const std::uint64_t query = blocks_.bytes_per_query() + items_.bytes_per_row();
    const std::uint64_t base = blocks_.bytes_per_base_row() + items_.bytes_per_row();
    return graph_bytes(rows_, degree_) + static_cast<std::uint64_t>(query_block_ + query_tile) * query +
           static_cast<std::uint64_t>(base_block_ + base_tile) * base + sorting_bytes(base_block_, degree_);
}

/// Blocks as large as memory allows: the queries' first become smaller, then the base's.
void ExactSearch::plan() {
    constexpr Index few_queries = 1 << 12;
    const Index most_queries = items_.held() ? 1 << 16 : 1 << 18;  // each block of them has all of the base copied
    const std::uint64_t allowed = device::allowance(cuda_);
    const Index least_base = std::min(items_.count(), std::max<Index>(1024, degree_ + 1));
    query_block_ = std::min(items_.count(), most_queries);
    base_block_ = items_.count();
    while (wanted_bytes() > allowed && query_block_ > few_queries) query_block_ /= 2;
    while (wanted_bytes() > allowed && base_block_ > least_base) base_block_ = std::max(base_block_ / 2, least_base);
    while (wanted_bytes() > allowed && query_block_ > 1) query_block_ /= 2;
    require_device_memory(wanted_bytes(), allowed, rows_, degree_);
    const std::uint64_t spare = allowed - wanted_bytes() + sorting_bytes(base_block_, degree_);
    blocks_.prepare(query_block_, query_block_, spare, items_.sample(cuda_));
}

/// Finds what is nearest to items [first, first + count).
void ExactSearch::search_block(Index first, Index count) {
    const ItemRows queries = items_.load(cuda_, first, count, loaded_queries_);
    for (Index begin = 0; begin < items_.count() && !stopped(); begin += base_block_) {
        const Index rows = std::min(base_block_, items_.count() - begin);
        const bool prepared = rows == items_.count() && first > 0;  // all of the base, as for the block before
        if (!prepared) blocks_.set_base(items_.load(cuda_, begin, rows, loaded_base_));
        blocks_.search(queries, begin > 0);
    }
}

graph::DeviceGraph ExactSearch::run() {
    graph::DeviceGraph graph = empty_lists(cuda_, rows_, degree_);
    for (Index first = 0; first < items_.count() && !stopped(); first += query_block_) {
        const Index count = std::min(query_block_, items_.count() - first);
        search_block(first, count);
        emit(cuda_, items_.groups(), first, count, blocks_.nearest(), metric_, degree_, graph);
        tell(cuda_.run(), first + count, items_.count());
    }
    return graph;
}

}  // namespace

FoundOnDevice search_on_device(Cuda& cuda, const device::DevicePoints& points, Index k, Metric metric,
                               const Effort& effort) {
    const Index rows = points.host.rows;
    check_search(rows, k);
    FoundOnDevice found;
    ItemSource items(cuda, points, metric);
    const Index degree = std::min(k, rows - 1);
    if (degree == 0) {
        found.graph = empty_lists(cuda, rows, 0);
    } else if (effort.exact || !has_cells(cuda, items, degree, metric)) {
        found.graph = ExactSearch(cuda, items, rows, degree, metric).run();
    } else {
        found = search_cells(cuda, items, rows, degree, metric, effort);
    }
    if (cuda.run().stop.stop_requested()) found.graph = {};
    return found;
}

}  // namespace dunlin::neighbors
