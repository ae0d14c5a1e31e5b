// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/codes/product_quantized.cuh"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "math/at.hpp"
#include "neighbors/checks.hpp"
#include "neighbors/cuda/cells/apart_queries.cuh"
#include "neighbors/cuda/cells/search_by_blocks.cuh"
#include "neighbors/cuda/codes/coded_items.cuh"
#include "neighbors/cuda/codes/refinement.cuh"
#include "neighbors/cuda/codes/shorten_lists.cuh"
#include "neighbors/cuda/exact/brute_force.cuh"
#include "numerics/blas.hpp"
#include "progress/cancel.hpp"

namespace dunlin::neighbors {

namespace {

using device::Cuda;
using device::CudaBuffer;

constexpr Index unsettled_lists = 4096;  ///< lists that are searched by differences together
constexpr Index tiles_of_sample = (sample_by_codes.all + query_tile - 1) / query_tile;

/// Number of candidates that are selected by codes per query, besides the query itself.
Index chosen_by_codes(const SearchParameters& parameters, Index wanted, Index items) {
    return static_cast<Index>(std::min<Offset>(Offset{wanted} * parameters.rerank, std::max(wanted, items - 1)));
}

/// Sizes of the device buffers, as large as memory allows.
struct MemoryPlan {
    Index at_once = 0;          ///< items encoded together
    Index tiles = 0;            ///< query tiles per block
    Index batch = 0;            ///< queries apart from the items that are assigned to cells together
    Index copied = 0;           ///< rows copied together for refinement
    std::uint64_t sorting = 0;  ///< bytes of the brute-force search

    [[nodiscard]] Index lists() const { return tiles * query_tile; }
};

class CudaProductQuantizedSearch {
public:
    CudaProductQuantizedSearch(Cuda& cuda, const ItemSearch& search, const SearchParameters& parameters)
        : cuda_(cuda),
          search_(search),
          items_(search.items),
          parameters_(parameters),
          wanted_(search.wanted()),
          chosen_(chosen_by_codes(parameters, wanted_, items_.count())),
          dims_(coding_axes(items_.cols(), parameters.codes)),
          exact_(cuda, search.metric, items_.cols(), wanted_),
          listing_(cuda, dims_, chosen_ + 1) {}

    FoundOnDevice run();

private:
    [[nodiscard]] std::uint64_t coding(const MemoryPlan& plan) const;
    [[nodiscard]] std::uint64_t searching(const MemoryPlan& plan) const;
    [[nodiscard]] MemoryPlan plan() const;
    void choose_probes(const CudaRecallSample& sample);
    [[nodiscard]] std::vector<std::vector<Index>> ranks_of_found(const CudaRecallSample& sample);
    void list_near(const ItemRows& queries);
    void list_probed(const DeviceRows& along, CellBlock& block);
    void search_block(CellBlock& block);
    void search_queries(CudaRecallSample& sample, FoundOnDevice& found);
    void search_apart_block(const ItemRows& queries, const SortedByCell& by_cell, CellBlock& block);
    void complete_lists(const DeviceRows& along, const SortedByCell& by_cell, const CellBlock& block);
    void search_far(const ItemRows& queries);
    [[nodiscard]] std::size_t loaded_together() const { return at(items_.held() ? items_.count() : plan_.copied); }
    DeviceRows project_queries(const ItemRows& queries);
    [[nodiscard]] DeviceRows sample_of(const DeviceRows& along);
    [[nodiscard]] bool stopped() const { return cuda_.run().stop.stop_requested(); }

    Cuda& cuda_;
    ItemSearch search_;
    ItemSource& items_;
    SearchParameters parameters_;
    Index wanted_, chosen_, dims_;
    MemoryPlan plan_;
    BlockSearch exact_;
    CandidateListing listing_;  ///< candidates selected by codes
    std::optional<CodedItems> coded_;
    std::optional<ListRefiner> refiner_;
    CudaBuffer<float> along_;
    CudaBuffer<Index> sampled_;
    CudaBuffer<std::uint8_t> incomplete_;  ///< per list of a block of queries apart from the items
    LoadedRows loaded_;
};

// Memory

std::uint64_t CudaProductQuantizedSearch::coding(const MemoryPlan& plan) const {
    const auto at_once = static_cast<std::uint64_t>(plan.at_once);
    return static_cast<std::uint64_t>(items_.count()) * (2 * static_cast<std::uint64_t>(parameters_.codes) + 32) +
           coding_bytes(plan.at_once, items_.cols(), dims_, cell_count(items_.count(), parameters_)) +
           at_once * exact_.bytes_per_base_row() +
           static_cast<std::uint64_t>(training_rows(items_.count(), cell_count(items_.count(), parameters_))) *
               static_cast<std::uint64_t>(dims_) * 16;
}

std::uint64_t CudaProductQuantizedSearch::searching(const MemoryPlan& plan) const {
    const auto n = static_cast<std::uint64_t>(items_.count()), lists = static_cast<std::uint64_t>(plan.lists()),
               cells = static_cast<std::uint64_t>(cell_count(items_.count(), parameters_));
    const std::uint64_t row = static_cast<std::uint64_t>(items_.cols()) * sizeof(float) + 16;
    const std::uint64_t list = listing_.bytes_per_query() + static_cast<std::uint64_t>(dims_) * 8 +
                               static_cast<std::uint64_t>(wanted_) * 28 + (items_.held() ? 1 : 2) * row + 16;
    const std::uint64_t ranked = items_.held() ? n * 28 : n * 9 + 2 * static_cast<std::uint64_t>(plan.copied) * row;
    const std::uint64_t apart =
        search_.apart == nullptr
            ? 0
            : apart_bytes(search_, plan.batch, plan.lists(), dims_, cell_count(items_.count(), parameters_)) +
                  (items_.held() ? 0 : static_cast<std::uint64_t>(plan.at_once) * row);
    return n * (static_cast<std::uint64_t>(parameters_.codes) + 32) +
           static_cast<std::uint64_t>(plan.at_once) * exact_.bytes_per_base_row() +
           (n + cells * query_tile) * (listing_.bytes_per_base_row() + 12) + lists * list + ranked + apart;
}

MemoryPlan CudaProductQuantizedSearch::plan() const {
    constexpr Index few_tiles = 16, many_tiles = 256, few_rows = 1 << 14, many_rows = 1 << 21;
    const Index n = items_.count(), batch = search_.apart != nullptr ? largest_batch(search_) : 0,
                all_tiles = most_tiles_of(search_.apart != nullptr ? batch : n, cell_count(n, parameters_));
    MemoryPlan plan{.at_once = std::min(n, coded_at_once(items_.cols(), std::max<Index>(1024, search_.degree() + 1))),
                    .tiles = std::clamp(all_tiles, tiles_of_sample, many_tiles),
                    .batch = batch,
                    .copied = std::min(n, many_rows),
                    .sorting = sorting_bytes(n, wanted_)};
    const std::uint64_t always =
        graph_bytes(search_.lists(), search_.list_degree()) + unsettled_lists * exact_.bytes_per_query() + plan.sorting;
    const std::uint64_t allowed = device::allowance(cuda_);
    while (always + searching(plan) > allowed && plan.batch > few_rows) plan.batch /= 2;
    while (always + searching(plan) > allowed && plan.copied > few_rows) plan.copied /= 2;
    while (always + searching(plan) > allowed && plan.tiles > few_tiles) plan.tiles /= 2;
    require_device_memory(always + std::max(coding(plan), searching(plan)), allowed, search_.lists(),
                          search_.list_degree());
    return plan;
}

// Number of probes

/// Projects queries on the axes.
DeviceRows CudaProductQuantizedSearch::project_queries(const ItemRows& queries) {
    if (search_.apart == nullptr) coded_->projection().project(queries.rows, along_);
    if (search_.apart != nullptr) coded_->projection().project_each(queries.rows, along_);
    return {.values = along_.data(), .count = queries.rows.count, .cols = dims_};
}

DeviceRows CudaProductQuantizedSearch::sample_of(const DeviceRows& along) {
    cuda_.upload(sampled_, spread_evenly(along.count, std::min(along.count, most_sampled)));
    return {.values = along.values, .at = sampled_.data(), .count = static_cast<Index>(sampled_.size()), .cols = dims_};
}

/// Lists the candidates by codes of some queries, among all items.
void CudaProductQuantizedSearch::list_near(const ItemRows& queries) {
    const DeviceRows along = project_queries(queries);
    CudaBuffer<Index> order;
    order_base(cuda_, items_.count(), order);
    listing_.set_frame(find_frame(cuda_, sample_of(along)));
    listing_.set_base(coded_->rows(), order);
    listing_.list_near(along, plan_filter(items_.count(), chosen_ + 1, base_tile));
    listing_.shorten();
}

/// For each of the sample's items: the ranks of the cells, by distance from its own cell, that contain the neighbors
/// found by codes in all cells. An item whose list overflowed takes the true neighbors instead, because it is later
/// searched by differences, which find all.
std::vector<std::vector<Index>> CudaProductQuantizedSearch::ranks_of_found(const CudaRecallSample& sample) {
    CudaBuffer<Index> sampled;
    cuda_.upload(sampled, sample.items());
    const ItemRows queries = items_.gather(cuda_, sampled, loaded_);
    list_near(queries);
    std::vector<Index> all(sample.items().size());
    std::iota(all.begin(), all.end(), 0);
    const std::vector<Index> unsettled = refiner_->refine(queries, nullptr, all, listing_, exact_.nearest());
    if (stopped()) return {};

    std::vector<Index> ranked;  // the lists of unsettled queries are not written
    std::set_difference(all.begin(), all.end(), unsettled.begin(), unsettled.end(), std::back_inserter(ranked));
    const std::vector<NearItem> listed = near_items(cuda_, items_.groups(), exact_.nearest(), ranked);
    const CellPartition& cells = coded_->cells();
    std::vector<std::vector<Index>> ranks;
    const std::size_t listed_each = at(exact_.nearest().wanted);
    std::size_t next = 0;
    for (const Index i : all) {
        const bool is_ranked = next < ranked.size() && ranked[next] == i;
        const auto found =
            is_ranked ? std::span(listed).subspan(next++ * listed_each, listed_each) : sample.truth(at(i));
        const std::vector<Index> rank_of = cells.ranks_by(cells.cell_of(sample.items()[at(i)]));
        ranks.push_back(
            sample.sample().ranks_of(at(i), found, [&](Index item) { return rank_of[at(cells.cell_of(item))]; }));
    }
    return ranks;
}

/// Calibrates by a search of all cells: restricted to fewer cells, a query finds at least those of the same neighbors
/// that lie in them.
void CudaProductQuantizedSearch::choose_probes(const CudaRecallSample& sample) {
    CellPartition& cells = coded_->cells();
    const Index least = wanted_ + 1;  // so that lists are complete
    if (parameters_.probes) return cells.set_probes(*parameters_.probes, least);
    const std::vector<std::vector<Index>> ranks = ranks_of_found(sample);
    if (stopped()) return;
    require_reachable_recall(parameters_, share_in_all_cells(sample.sample().of_calibration(ranks), search_.degree()));
    require_reachable_recall(parameters_, share_in_all_cells(sample.sample().of_test(ranks), search_.degree()));
    cells.set_probes(cells_for_recall(sample.sample(), ranks, search_.degree(), cells.count(), parameters_.recall),
                     least);
}

// Blocks of queries

/// Lists the candidates by codes among the tiles that a block's queries probe.
void CudaProductQuantizedSearch::list_probed(const DeviceRows& along, CellBlock& block) {
    listing_.set_frame(find_frame(cuda_, sample_of(along), room_of_cells));
    listing_.set_base(coded_->rows(), block.base);
    listing_.list_probed(along, block);
}

void CudaProductQuantizedSearch::search_block(CellBlock& block) {
    const ItemRows queries = items_.load(cuda_, block.first, block.count, loaded_);
    const DeviceRows along = project_queries(queries);
    list_probed(along, block);
    if (stopped()) return;
    shorten_by_codes(cuda_, along, block.which, coded_->rows(), listing_.restarted(), chosen_ + 1, listing_.lists());
    const std::vector<Index> list_rows = cuda_.host(block.which);
    const CellPartition& cells = coded_->cells();
    search_items_probed(cuda_, items_, exact_, cells, queries, cells, block.first,
                        refiner_->refine(queries, block.which.data(), list_rows, listing_, exact_.nearest()),
                        loaded_together());
}

// Queries apart from the items

/// Fills the lists that may lack one of the nearest by codes, by measuring the codes of all items that they probe.
void CudaProductQuantizedSearch::complete_lists(const DeviceRows& along, const SortedByCell& by_cell,
                                                const CellBlock& block) {
    std::vector<Index> all(block.which.size());
    std::iota(all.begin(), all.end(), 0);
    const std::vector<Index> lists = unsettled_queries(cuda_, incomplete_, all), rows = cuda_.host(block.which);
    const auto cell_of = [&](Index list) { return by_cell.cell_of(block.first + rows[at(list)]); };
    for (std::size_t begin = 0, end = 0; begin < lists.size() && !stopped(); begin = end) {
        const Index cell = cell_of(lists[begin]);
        while (end < lists.size() && cell_of(lists[end]) == cell) ++end;
        list_by_codes(cuda_, along, block.which, coded_->rows(), std::span(lists).subspan(begin, end - begin),
                      coded_->cells().items_probed_by(cell), plan_.sorting, chosen_ + 1, listing_.lists());
    }
}

/// What the filter lists beyond the nearest by codes depends on the other queries of the block: exactly these remain.
void CudaProductQuantizedSearch::search_apart_block(const ItemRows& queries, const SortedByCell& by_cell,
                                                    CellBlock& block) {
    const DeviceRows along = project_queries(queries);
    list_probed(along, block);
    if (stopped()) return;
    shorten_all_by_codes(cuda_, along, block.which, coded_->rows(), listing_.scale(), listing_.reach(), chosen_ + 1,
                         listing_.lists(), incomplete_);
    complete_lists(along, by_cell, block);
    if (stopped()) return;
    const std::vector<Index> list_rows = cuda_.host(block.which);
    search_items_probed(cuda_, items_, exact_, coded_->cells(), queries, by_cell, block.first,
                        refiner_->refine(queries, block.which.data(), list_rows, listing_, exact_.nearest()),
                        loaded_together());
}

void CudaProductQuantizedSearch::search_far(const ItemRows& queries) {
    for (Index first = 0; first < items_.count() && !stopped(); first += plan_.at_once) {
        exact_.set_base(items_.load(cuda_, first, std::min(plan_.at_once, items_.count() - first), loaded_));
        exact_.search(queries, first > 0);
    }
}

void CudaProductQuantizedSearch::search_queries(CudaRecallSample& sample, FoundOnDevice& found) {
    const Index far = std::min(unsettled_lists, plan_.lists());
    ApartCellSearch apart{search_, parameters_, coded_->cells(), sample, exact_, plan_.tiles, plan_.batch, far};
    apart.assign = [this](const DeviceRows& queries) {
        CudaBuffer<float> along;
        coded_->projection().project_each(queries, along);
        return assign_to_cells(cuda_, coded_->coarse(), {.values = along.data(), .count = queries.count, .cols = dims_},
                               coded_->reach());
    };
    apart.search_block = [this](const ItemRows& queries, const SortedByCell& by_cell, CellBlock& block) {
        search_apart_block(queries, by_cell, block);
    };
    apart.search_far = [this](const ItemRows& queries) { search_far(queries); };
    search_apart(cuda_, apart, found);
}

FoundOnDevice CudaProductQuantizedSearch::run() {
    plan_ = plan();
    FoundOnDevice found{.graph = empty_lists(cuda_, search_.lists(), search_.list_degree()),
                        .method = Method::approximate};
    exact_.prepare(plan_.lists(), unsettled_lists, plan_.sorting, items_.sample(cuda_, 0, items_.count()));
    CudaRecallSample sample(cuda_, items_.groups(), search_.rows, search_.degree(), parameters_);
    exact_.want(search_.listed());
    const bool coded = progress::run_cancellable(
        cuda_.run().stop, [&] { coded_.emplace(cuda_, items_, parameters_, plan_.at_once, exact_, sample); });
    if (device::stops(cuda_.run()) || !coded) return found;
    listing_.prepare(plan_.lists());
    refiner_.emplace(cuda_, items_, plan_.lists(), plan_.copied);
    choose_probes(sample);
    if (device::stops(cuda_.run())) return found;
    found.probes = coded_->cells().mean_probes();
    if (search_.apart != nullptr) {
        search_queries(sample, found);
    } else {
        search_by_blocks(cuda_, {search_, coded_->cells(), sample, plan_.tiles}, exact_.nearest(), found,
                         [&](CellBlock& block) { search_block(block); });
    }
    return found;
}

}  // namespace

bool can_search_codes(Cuda& cuda, const ItemSearch& search, const SearchParameters& parameters) {
    const ItemSource& items = search.items;
    if (items.count() < query_tile) return false;
    const Index wanted = search.wanted(), chosen = chosen_by_codes(parameters, wanted, items.count());
    if (!BlockSearch(cuda, search.metric, items.cols(), 1).has_halves()) return false;
    if (!CandidateListing(cuda, items.cols(), chosen + 1).can_list()) fail_for_long_lists(parameters.rerank, wanted);
    return true;
}

FoundOnDevice search_product_quantized(Cuda& cuda, const ItemSearch& search, const SearchParameters& parameters) {
    numerics::hold_blas_to_one_thread();  // otherwise codes would depend on the number of threads
    return CudaProductQuantizedSearch(cuda, search, parameters).run();
}

}  // namespace dunlin::neighbors
