// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/coded.cuh"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "device/blas.hpp"
#include "device/cancel.hpp"
#include "math/at.hpp"
#include "neighbors/checks.hpp"
#include "neighbors/cuda/brute.cuh"
#include "neighbors/cuda/by_blocks.cuh"
#include "neighbors/cuda/choice.cuh"
#include "neighbors/cuda/coded_items.cuh"
#include "neighbors/cuda/ranked_lists.cuh"

namespace dunlin::neighbors {

namespace {

using device::Cuda;
using device::CudaBuffer;

constexpr Index lists_of_left = 4096;  ///< that are searched by differences at once
constexpr Index tiles_of_sample = (sample_by_codes.all + query_tile - 1) / query_tile;

/// How many are chosen by codes for each query.
Index chosen_by_codes(const Effort& effort, Index wanted, Index items) {
    return static_cast<Index>(std::min<Offset>(Offset{wanted} * effort.rerank, items - 1));
}

/// What a search by codes has on the device, as large as memory allows.
struct Plan {
    Index at_once = 0;          ///< items that are coded together
    Index tiles = 0;            ///< of queries in a block
    Index copied = 0;           ///< rows that are copied at once to be ranked
    std::uint64_t sorting = 0;  ///< bytes

    [[nodiscard]] Index lists() const { return tiles * query_tile; }
};

class CodedSearch {
public:
    CodedSearch(Cuda& cuda, ItemSource& items, Index rows, Index degree, Metric metric, const Effort& effort)
        : cuda_(cuda),
          items_(items),
          metric_(metric),
          rows_(rows),
          degree_(degree),
          effort_(effort),
          wanted_(std::min(degree, items.count() - 1)),
          chosen_(chosen_by_codes(effort, wanted_, items.count())),
          dims_(axes_for_codes(items.cols(), effort.codes)),
          exact_(cuda, metric, items.cols(), wanted_),
          listing_(cuda, dims_, chosen_ + 1) {}

    FoundOnDevice run();

private:
    [[nodiscard]] std::uint64_t coding(const Plan& plan) const;
    [[nodiscard]] std::uint64_t searching(const Plan& plan) const;
    [[nodiscard]] Plan plan() const;
    void choose_visits(const CudaRecallSample& sample);
    [[nodiscard]] std::vector<std::vector<Index>> ranks_of_found(const CudaRecallSample& sample);
    void list_near(const ItemRows& queries);
    void search_block(CellBlock& block);
    void search_left(const ItemRows& queries, Index first, std::span<const Index> left);
    [[nodiscard]] std::vector<Index> items_visited_by(Index cell);
    DeviceRows put_along_axes(const ItemRows& queries);
    [[nodiscard]] DeviceRows spread(const DeviceRows& along);
    [[nodiscard]] bool stopped() const { return cuda_.run().stop.stop_requested(); }

    Cuda& cuda_;
    ItemSource& items_;
    Metric metric_;
    Index rows_, degree_;
    Effort effort_;
    Index wanted_, chosen_, dims_;
    Plan plan_;
    BlockSearch exact_;
    Listing listing_;  ///< of what is chosen by codes
    std::optional<CodedItems> coded_;
    std::optional<RankedLists> ranked_;
    CudaBuffer<float> along_;
    CudaBuffer<Index> sampled_;
    LoadedRows loaded_, loaded_left_;
};

// Memory

std::uint64_t CodedSearch::coding(const Plan& plan) const {
    const auto at_once = static_cast<std::uint64_t>(plan.at_once);
    return static_cast<std::uint64_t>(items_.count()) * (2 * static_cast<std::uint64_t>(effort_.codes) + 32) +
           coding_bytes(plan.at_once, items_.cols(), dims_, cells_for(items_.count(), effort_)) +
           at_once * exact_.bytes_per_base_row() +
           static_cast<std::uint64_t>(sampled_for_codes(items_.count(), cells_for(items_.count(), effort_))) *
               static_cast<std::uint64_t>(dims_) * 16;
}

std::uint64_t CodedSearch::searching(const Plan& plan) const {
    const auto n = static_cast<std::uint64_t>(items_.count()), lists = static_cast<std::uint64_t>(plan.lists()),
               cells = static_cast<std::uint64_t>(cells_for(items_.count(), effort_));
    const std::uint64_t row = static_cast<std::uint64_t>(items_.cols()) * sizeof(float) + 16;
    const std::uint64_t list = listing_.bytes_per_query() + static_cast<std::uint64_t>(dims_) * 8 +
                               static_cast<std::uint64_t>(wanted_) * 28 + (items_.held() ? 1 : 2) * row + 16;
    const std::uint64_t ranked = items_.held() ? n * 28 : n * 9 + 2 * static_cast<std::uint64_t>(plan.copied) * row;
    return n * (static_cast<std::uint64_t>(effort_.codes) + 32) +
           static_cast<std::uint64_t>(plan.at_once) * exact_.bytes_per_base_row() +
           (n + cells * query_tile) * (listing_.bytes_per_base_row() + 12) + lists * list + ranked;
}

Plan CodedSearch::plan() const {
    constexpr Index few_tiles = 16, many_tiles = 256, few_rows = 1 << 14, many_rows = 1 << 21;
    const Index n = items_.count(), all_tiles = n / query_tile + cells_for(n, effort_) + 1;
    Plan plan{.at_once = std::min(n, coded_at_once(items_.cols(), std::max<Index>(1024, degree_ + 1))),
              .tiles = std::clamp(all_tiles, tiles_of_sample, many_tiles),
              .copied = std::min(n, many_rows),
              .sorting = sorting_bytes(n, wanted_)};
    const std::uint64_t always = graph_bytes(rows_, degree_) + lists_of_left * exact_.bytes_per_query() + plan.sorting;
    const std::uint64_t allowed = device::allowance(cuda_);
    while (always + searching(plan) > allowed && plan.copied > few_rows) plan.copied /= 2;
    while (always + searching(plan) > allowed && plan.tiles > few_tiles) plan.tiles /= 2;
    require_device_memory(always + std::max(coding(plan), searching(plan)), allowed, rows_, degree_);
    return plan;
}

// How many cells are visited

/// Queries along the axes.
DeviceRows CodedSearch::put_along_axes(const ItemRows& queries) {
    coded_->projection().project(queries.rows, along_);
    return {.values = along_.data(), .count = queries.rows.count, .cols = dims_};
}

DeviceRows CodedSearch::spread(const DeviceRows& along) {
    cuda_.upload(sampled_, spread_evenly(along.count, std::min(along.count, most_sampled)));
    return {.values = along.values, .at = sampled_.data(), .count = static_cast<Index>(sampled_.size()), .cols = dims_};
}

/// Lists what the codes choose for some queries among all items.
void CodedSearch::list_near(const ItemRows& queries) {
    const DeviceRows along = put_along_axes(queries);
    CudaBuffer<Index> order;
    order_base(cuda_, items_.count(), order);
    listing_.set_frame(find_frame(cuda_, spread(along)));
    listing_.set_base(coded_->rows(), order);
    listing_.list_near(along, plan_filter(items_.count(), chosen_ + 1, base_tile));
    listing_.shorten();
}

/// For each of the sample's items: the ranks, by distance from its own, of the cells that hold what the codes find of
/// its rows' lists among all cells. An item whose list overflowed is searched by differences, which find all.
std::vector<std::vector<Index>> CodedSearch::ranks_of_found(const CudaRecallSample& sample) {
    CudaBuffer<Index> sampled;
    cuda_.upload(sampled, sample.items());
    const ItemRows queries = items_.chosen(cuda_, sampled, loaded_);
    list_near(queries);
    std::vector<Index> all(sample.items().size());
    std::iota(all.begin(), all.end(), 0);
    const std::vector<Index> left = ranked_->rank(queries, nullptr, all, listing_, exact_.nearest());
    if (stopped()) return {};

    std::vector<Index> ranked;  // lists of those left are not written
    std::set_difference(all.begin(), all.end(), left.begin(), left.end(), std::back_inserter(ranked));
    const std::vector<NearItem> listed = near_items(cuda_, items_.groups(), exact_.nearest(), ranked);
    const Cells& cells = coded_->cells();
    std::vector<std::vector<Index>> ranks;
    std::size_t next = 0;
    for (const Index i : all) {
        const bool is_ranked = next < ranked.size() && ranked[next] == i;
        const auto found =
            is_ranked ? std::span(listed).subspan(next++ * at(wanted_), at(wanted_)) : sample.truth(at(i));
        const std::vector<Index> rank_of = cells.ranks_by(cells.cell_of(sample.items()[at(i)]));
        ranks.push_back(
            sample.sample().ranks_of(at(i), found, [&](Index item) { return rank_of[at(cells.cell_of(item))]; }));
    }
    return ranks;
}

/// By what the codes find of the sample's neighbors among all cells: in fewer they find as many of those that are
/// there, or more.
void CodedSearch::choose_visits(const CudaRecallSample& sample) {
    Cells& cells = coded_->cells();
    const Index least = wanted_ + 1;  // lists are complete
    if (effort_.probes) return cells.visit_nearest(*effort_.probes, least);
    const std::vector<std::vector<Index>> ranks = ranks_of_found(sample);
    if (stopped()) return;
    require_reach(effort_, share_in_all_cells(sample.sample().of_calibration(ranks), degree_));
    require_reach(effort_, share_in_all_cells(sample.sample().of_test(ranks), degree_));
    cells.visit_nearest(cells_for_recall(sample.sample(), ranks, degree_, cells.count(), effort_.recall), least);
}

// The blocks

std::vector<Index> CodedSearch::items_visited_by(Index cell) {
    const Cells& cells = coded_->cells();
    std::vector<Index> visited;
    for (const Index other : cells.visited_by(cell, cell + 1)) {
        for (Index item = cells.items[at(other)]; item < cells.items[at(other) + 1]; ++item) visited.push_back(item);
    }
    return visited;
}

/// Rows of the queries, of which row 0 is item `first`, by differences among what their cells visit.
void CodedSearch::search_left(const ItemRows& queries, Index first, std::span<const Index> left) {
    const Cells& cells = coded_->cells();
    const auto together = items_.held() ? at(items_.count()) : at(plan_.copied);
    for (std::size_t begin = 0, end = 0; begin < left.size() && !stopped(); begin = end) {
        const Index cell = cells.cell_of(first + left[begin]);
        while (end < left.size() && cells.cell_of(first + left[end]) == cell) ++end;
        const std::vector<Index> visited = items_visited_by(cell);
        for (std::size_t from = 0; from < visited.size(); from += together) {
            CudaBuffer<Index> piece;
            cuda_.upload(piece, std::span(visited).subspan(from, std::min(together, visited.size() - from)));
            exact_.search_some(queries, left.subspan(begin, end - begin), items_.chosen(cuda_, piece, loaded_left_),
                               from > 0);
        }
    }
}

void CodedSearch::search_block(CellBlock& block) {
    const ItemRows queries = items_.load(cuda_, block.first, block.count, loaded_);
    const DeviceRows along = put_along_axes(queries);
    listing_.set_frame(find_frame(cuda_, spread(along), room_of_cells));
    listing_.set_base(coded_->rows(), block.base);
    listing_.list_visited(along, block);
    if (stopped()) return;
    choose_by_codes(cuda_, along, block.which, coded_->rows(), listing_.begun_again(), chosen_ + 1, listing_.lists());
    const std::vector<Index> asked = cuda_.host(block.which);
    search_left(queries, block.first, ranked_->rank(queries, block.which.data(), asked, listing_, exact_.nearest()));
}

FoundOnDevice CodedSearch::run() {
    plan_ = plan();
    FoundOnDevice found{.graph = empty_lists(cuda_, rows_, degree_), .method = Method::approximate};
    exact_.prepare(plan_.lists(), lists_of_left, plan_.sorting, items_.sample(cuda_, 0, items_.count()));
    CudaRecallSample sample(cuda_, items_.groups(), rows_, degree_, effort_);
    const bool coded = device::run_cancellable(
        cuda_.run().stop, [&] { coded_.emplace(cuda_, items_, effort_, plan_.at_once, exact_, sample); });
    if (!coded || stopped()) return found;
    listing_.prepare(plan_.lists());
    ranked_.emplace(cuda_, items_, plan_.lists(), plan_.copied);
    choose_visits(sample);
    if (stopped()) return found;
    found.probes = coded_->cells().mean_visited();
    search_by_blocks(cuda_, {items_, coded_->cells(), sample, metric_, degree_, plan_.tiles}, exact_.nearest(), found,
                     [&](CellBlock& block) { search_block(block); });
    return found;
}

}  // namespace

bool has_codes(Cuda& cuda, const ItemSource& items, Index degree, Metric metric, const Effort& effort) {
    if (items.count() < query_tile) return false;
    const Index wanted = std::min(degree, items.count() - 1), chosen = chosen_by_codes(effort, wanted, items.count());
    if (!BlockSearch(cuda, metric, items.cols(), 1).has_halves()) return false;
    if (!Listing(cuda, items.cols(), chosen + 1).can_list()) fail_for_long_lists(effort.rerank, wanted);
    return true;
}

FoundOnDevice search_codes(Cuda& cuda, ItemSource& items, Index rows, Index degree, Metric metric,
                           const Effort& effort) {
    device::hold_blas_to_one_thread();  // else codes would depend on their number
    return CodedSearch(cuda, items, rows, degree, metric, effort).run();
}

}  // namespace dunlin::neighbors
