// SPDX-License-Identifier: Apache-2.0
#include "neighbors/codes/product_quantized.hpp"

#include <numeric>

#include "math/at.hpp"
#include "neighbors/codes/code_scan.hpp"
#include "neighbors/codes/residuals.hpp"
#include "neighbors/exact/all_pairs.hpp"
#include "neighbors/recall/recall_sample.hpp"
#include "neighbors/strategies.hpp"
#include "numerics/blas.hpp"
#include "progress/cancel.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Offset most_queries = 256;

/// Candidates that are selected by codes: rerank * k, and the query itself, which is usually among them.
Index listed_by(const SearchParameters& parameters, Index k, Index items) {
    return static_cast<Index>(std::min<Offset>(Offset{k} * parameters.rerank, std::max(k, items - 1))) + 1;
}

/// Queries of a block, so that lists stay within about 64 MB per thread.
Index together_by(Index listed) {
    const auto fit = static_cast<Offset>((std::size_t{64} << 20) / TopKBuffer::bytes(listed));
    return static_cast<Index>(std::clamp<Offset>(fit, 1, most_queries));
}

class ProductQuantizedSearch {
    /// Queries that belong to one cell.
    struct CellQueries {
        Index cell;
        std::span<const Index> queries;
    };

public:
    ProductQuantizedSearch(device::Cpu& cpu, const ItemTransform& transform, Index k,
                           const SearchParameters& parameters, const Run& run)
        : cpu_(cpu),
          transform_(transform),
          degree_(std::min(k, transform.points() - 1)),
          k_(std::min(k, transform.items())),
          parameters_(parameters),
          listed_(listed_by(parameters, k_, transform.items())),
          cells_(transform, parameters, run),
          scan_(transform, cells_, listed_),
          sample_(sample_items(transform, sample_size(parameters), degree_, run.seed)) {}

    void encode_items();
    /// Finds the number of cells to search, if it is not given.
    void choose_probes();
    /// Raises the probes because the measured recall of the test rows is too low. Throws Error{bad_input} if all cells
    /// are not enough.
    void raise_probes(double measured);
    [[nodiscard]] Index probes() const { return std::min(probes_, cells_.count()); }
    /// Searches all items and returns the measured recall.
    Recall run(SearchProgress& progress, const ResultCallback& take);
    /// Searches the sample alone, as run_queries does, and returns the measured recall.
    Recall run_sample();
    /// Searches queries apart from the points. The list of one depends on no other.
    void run_queries(std::span<const Index> queries, SearchProgress& progress, const ResultCallback& take) const;

private:
    template <class Selected>
    [[nodiscard]] std::vector<std::vector<Index>> ranks_of(const Selected& is_selected) const;
    [[nodiscard]] Index least_probes(const RecallSample::Ranks& of_rows, double margin, Index from) const;
    std::vector<Index> ranks_of_found(CodeWorkspace& w, std::size_t sampled) const;
    [[nodiscard]] std::span<const Index> probed_cells(const std::vector<Index>& nearest) const;

    template <class Found>
    void search_blocks(const std::vector<CellQueries>& blocks, bool apart, const Found& found) const;
    template <class Found>
    void search_apart(std::span<const Index> queries, std::span<const Index> cells, const Found& found) const;
    [[nodiscard]] std::vector<Index> cells_of(std::span<const Index> queries) const;
    void cut(std::span<const Index> queries, Index cell, std::vector<CellQueries>& blocks) const;

    void refine(CodeWorkspace& w) const { w.refinement.refine(transform_, w.queries, w.lists, w.scanned, k_); }

    device::Cpu& cpu_;
    const ItemTransform& transform_;
    Index degree_;  ///< length of the points' lists, which calibrate
    Index k_;       ///< length of the items' lists
    SearchParameters parameters_;
    Index listed_;  ///< candidates by codes per query, the query itself included
    CodedCells cells_;
    CodeScan scan_;
    RecallSample sample_;
    Index probes_ = 0;
};

/// Encodes all items; the sample's exact neighbors are found in the same pass over the rows.
void ProductQuantizedSearch::encode_items() {
    GroundTruth truth(transform_, sample_.items(), std::min(k_, transform_.items() - 1));
    cells_.fill(cpu_, transform_, truth);
    for (std::size_t i = 0; i < sample_.items().size(); ++i) {
        sample_.set_truth(i, near_items(transform_, truth.nearest(i)));
    }
}

// Number of cells

/// The nearest `probes` cells, or as many as hold k items besides the query.
std::span<const Index> ProductQuantizedSearch::probed_cells(const std::vector<Index>& nearest) const {
    std::size_t scanned = 0;
    for (Offset held = 0; held <= k_ && scanned < nearest.size(); ++scanned) held += cells_.size(nearest[scanned]);
    return std::span(nearest).first(std::max(scanned, at(std::min(probes_, cells_.count()))));
}

/// Calibrates by a search of all cells: restricted to fewer cells, a query finds at least those of the same neighbors
/// that lie in them.
void ProductQuantizedSearch::choose_probes() {
    if (parameters_.probes) {
        probes_ = *parameters_.probes;
        return;
    }
    probes_ = cells_.count();
    const auto ranks = ranks_of([this](std::size_t i) { return sample_.calibrates(i); });
    probes_ = least_probes(sample_.of_calibration(ranks), sample_.margin(), 1);
}

void ProductQuantizedSearch::raise_probes(double measured) {
    if (probes_ >= cells_.count()) require_reachable_recall(parameters_, measured);
    const auto ranks = ranks_of([this](std::size_t i) { return sample_.measures(i); });
    const Index more = std::min(cells_.count(), probes_ + std::max(1, probes_ / 16));
    probes_ = least_probes(sample_.of_test(ranks), 0, more);
}

/// The least number of cells, at least `from`, that gives the wanted recall for some rows.
Index ProductQuantizedSearch::least_probes(const RecallSample::Ranks& of_rows, double margin, Index from) const {
    require_reachable_recall(parameters_, share_in_all_cells(of_rows, degree_));
    return least_cells(of_rows, degree_, cells_.count(), parameters_.recall, margin, from);
}

/// For each selected item of the sample: ranks of the cells of what is found in all cells.
template <class Selected>
std::vector<std::vector<Index>> ProductQuantizedSearch::ranks_of(const Selected& is_selected) const {
    std::vector<std::size_t> selected;
    for (std::size_t i = 0; i < sample_.items().size(); ++i) {
        if (is_selected(i)) selected.push_back(i);
    }
    std::vector<std::vector<Index>> ranks(sample_.items().size());
    std::vector<CodeWorkspace> workers(at(cpu_.threads()));
    cpu_.blocks(std::ssize(selected), 1, [&](Offset a, Offset, int worker) {
        ranks[selected[at(a)]] = ranks_of_found(workers[at(worker)], selected[at(a)]);
    });
    return ranks;
}

/// Searches all cells for one item of the sample. Returns, for the neighbors found, the ranks of their cells by
/// distance from the item's own cell.
std::vector<Index> ProductQuantizedSearch::ranks_of_found(CodeWorkspace& w, std::size_t sampled) const {
    const Index item = sample_.items()[sampled], own = cells_.cell_of(item);
    const std::vector<Index> order = cells_.nearest(own);
    scan_.search(w, std::span(&item, 1), order);
    std::vector<Index> rank_of(order.size());
    for (std::size_t r = 0; r < order.size(); ++r) rank_of[at(order[r])] = static_cast<Index>(r);
    refine(w);
    return sample_.ranks_of(sampled, near_items(transform_, w.refinement.nearest(0)),
                            [&](Index other) { return rank_of[at(cells_.cell_of(other))]; });
}

Recall ProductQuantizedSearch::run(SearchProgress& progress, const ResultCallback& take) {
    std::vector<CellQueries> blocks;
    for (Index cell = 0; cell < cells_.count(); ++cell) cut(cells_.items(cell), cell, blocks);
    search_blocks(blocks, false, [&](Index item, std::span<const Candidate> nearest, int worker) {
        take(item, nearest);
        record(sample_, transform_, item, nearest);
        progress.advance(1, worker);
    });
    return sample_.recall();
}

// Queries apart from the points

Recall ProductQuantizedSearch::run_sample() {
    search_apart(sample_.items(), cells_of(sample_.items()), [&](Index item, std::span<const Candidate> nearest, int) {
        record(sample_, transform_, item, nearest);
    });
    return sample_.recall();
}

void ProductQuantizedSearch::run_queries(std::span<const Index> queries, SearchProgress& progress,
                                         const ResultCallback& take) const {
    const std::vector<Index> cells = cells_of(queries);
    std::vector<Index> near, near_cells;
    std::vector<Offset> far;
    for (std::size_t q = 0; q < queries.size(); ++q) {
        if (cells[q] < 0) {
            far.push_back(static_cast<Offset>(q));
        } else {
            near.push_back(queries[q]);
            near_cells.push_back(cells[q]);
        }
    }
    search_apart(near, near_cells, [&](Index query, std::span<const Candidate> nearest, int worker) {
        take(std::lower_bound(queries.begin(), queries.end(), query) - queries.begin(), nearest);
        progress.advance(1, worker);
    });
    search_all_pairs(cpu_, transform_, queries, far, k_, progress, take);
}

/// The cell of each query, -1 for those far outside.
std::vector<Index> ProductQuantizedSearch::cells_of(std::span<const Index> queries) const {
    const ProductQuantizer& quantizer = cells_.quantizer();
    std::vector<Index> cells(queries.size());
    std::vector<EncodingWorkspace> workspaces(at(cpu_.threads()));
    cpu_.blocks(std::ssize(queries), kmeans::tile_rows, [&](Offset begin, Offset end, int worker) {
        EncodingWorkspace& w = workspaces[at(worker)];
        const auto count = static_cast<Index>(end - begin), cols = transform_.cols();
        std::vector<float> rows(at(count) * at(cols));
        for (Offset q = begin; q < end; ++q) transform_.row(queries[at(q)], rows.data() + (q - begin) * cols);
        project_each(quantizer.axes, rows.data(), count, w.coordinates);
        find_cells(quantizer, w.coordinates.data(), count, w, cells.data() + begin);
        for (Offset q = begin; q < end; ++q) {
            const Index query = queries[at(q)], cell = cells[at(q)];
            const float* row = w.coordinates.data() + (q - begin) * quantizer.dims();
            const float most = residual_extent(row, quantizer.centroid(cell), quantizer.dims()).most;
            if (transform_.is_item(query)) {
                cells[at(q)] = cells_.cell_of(query);
            } else if (!(static_cast<double>(most) <= quantizer.reach())) {
                cells[at(q)] = -1;
            }
        }
    });
    return cells;
}

/// cells: of the queries.
template <class Found>
void ProductQuantizedSearch::search_apart(std::span<const Index> queries, std::span<const Index> cells,
                                          const Found& found) const {
    std::vector<std::size_t> order(queries.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cells[a] < cells[b]; });
    std::vector<Index> sorted;
    sorted.reserve(order.size());
    for (const std::size_t q : order) sorted.push_back(queries[q]);
    std::vector<CellQueries> blocks;
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        const Index cell = cells[order[begin]];
        while (end < order.size() && cells[order[end]] == cell) ++end;
        cut(std::span(sorted).subspan(begin, end - begin), cell, blocks);
    }
    search_blocks(blocks, true, found);
}

// Blocks of queries

/// Cuts the queries of a cell into blocks.
void ProductQuantizedSearch::cut(std::span<const Index> queries, Index cell, std::vector<CellQueries>& blocks) const {
    const std::size_t together = at(together_by(listed_));
    for (std::size_t first = 0; first < queries.size(); first += together) {
        blocks.push_back({cell, queries.subspan(first, std::min(queries.size() - first, together))});
    }
}

/// apart: the queries are not all points. Calls found(query, nearest, worker).
template <class Found>
void ProductQuantizedSearch::search_blocks(const std::vector<CellQueries>& blocks, bool apart,
                                           const Found& found) const {
    std::vector<CodeWorkspace> workers(at(cpu_.threads()));
    cpu_.blocks(std::ssize(blocks), 1, [&](Offset b, Offset, int worker) {
        CodeWorkspace& w = workers[at(worker)];
        const CellQueries& block = blocks[at(b)];
        if (apart) w.cell = block.cell;
        const std::vector<Index> order = cells_.nearest(block.cell);
        scan_.search(w, block.queries, probed_cells(order));
        refine(w);
        for (std::size_t q = 0; q < block.queries.size(); ++q) found(block.queries[q], w.refinement.nearest(q), worker);
    });
}

}  // namespace

/// Codes twice, while they are sorted by cell, and positions per row; the training sample, projected, and the copies
/// that k-means makes; the rows being encoded; lists.
std::uint64_t product_quantized_bytes(MatrixView<const float> points, Index queries, Index k,
                                      const SearchParameters& parameters, int threads) {
    const auto rows = static_cast<std::uint64_t>(points.rows), cols = static_cast<std::uint64_t>(points.cols);
    const auto sampled = static_cast<std::uint64_t>(training_rows(points.rows, cell_count(points.rows, parameters)));
    const auto dims = static_cast<std::uint64_t>(coding_axes(points.cols, parameters.codes));
    const auto passing = static_cast<std::uint64_t>(items_at_once(points.cols));
    const Index listed = listed_by(parameters, k, points.rows);
    const std::uint64_t query = TopKBuffer::bytes(listed) + Refinement::bytes(listed, k) + 4 * (cols + dims);
    const std::uint64_t lists = static_cast<std::uint64_t>(together_by(listed)) * query + 8 * rows;
    const std::uint64_t sample = sample_by_codes.all * (4 * cols + 2 * TopK::bytes(k) + (std::uint64_t{1} << 15));
    return rows * (2 * static_cast<std::uint64_t>(parameters.codes) + 96) + static_cast<std::uint64_t>(queries) * 100 +
           sampled * dims * 16 + (passing + (std::uint64_t{1} << 12)) * cols * 4 + sample +
           static_cast<std::uint64_t>(threads) * (lists + passing * 256 + (std::uint64_t{1} << 20));
}

SearchOutcome search_product_quantized(device::Cpu& cpu, const distance::Space& space, const DistinctRows& groups,
                                       std::span<const Index> queries, Index k, const SearchParameters& parameters,
                                       const Run& run, SearchProgress& progress, const ResultCallback& take) {
    numerics::hold_blas_to_one_thread();
    const ItemTransform transform(space, groups);
    if (groups.size() == 1) {
        std::vector<Offset> all(queries.size());
        std::iota(all.begin(), all.end(), Offset{0});
        search_all_pairs(cpu, transform, queries, all, k, progress, take);
        return {};
    }
    ProductQuantizedSearch search(
        cpu, transform, k, parameters,
        {.device = Device::cpu, .threads = cpu.threads(), .seed = run.seed, .stop = run.stop});
    search.encode_items();
    search.choose_probes();
    for (;;) {
        const Recall recall = space.has_queries() ? search.run_sample() : search.run(progress, take);
        if (parameters.probes || recall.mean >= parameters.recall) {
            if (space.has_queries()) search.run_queries(queries, progress, take);
            return {search.probes(), recall};
        }
        search.raise_probes(recall.mean);
    }
}

}  // namespace dunlin::neighbors
