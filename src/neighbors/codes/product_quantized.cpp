// SPDX-License-Identifier: Apache-2.0
#include "neighbors/codes/product_quantized.hpp"

#include <cmath>
#include <numeric>
#include <optional>

#include "device/blas.hpp"
#include "device/cancel.hpp"
#include "math/at.hpp"
#include "neighbors/codes/byte_codebooks.hpp"
#include "neighbors/codes/coded_cells.hpp"
#include "neighbors/codes/refinement.hpp"
#include "neighbors/codes/residuals.hpp"
#include "neighbors/exact/all_pairs.hpp"
#include "neighbors/recall/recall_sample.hpp"
#include "neighbors/strategies.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index cell_columns = 4;  ///< coordinates per block in the layout of scan_dots
constexpr Offset most_queries = 256;
constexpr double far_spreads = 4;  ///< a query is far if a coordinate of its residual is more of the points' spreads

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

    struct CodeWorkspace {
        std::optional<Index> cell;            ///< of queries apart from the points, whose step it determines
        std::vector<Index> queries, scanned;  ///< items; lists contain indices into `scanned`
        std::vector<TopKBuffer> lists;        ///< per query, by approximate keys
        std::vector<float> rows, coordinates;
        std::vector<std::size_t> active;  ///< queries that the radius of the cell does not exclude
        std::vector<float> extents;       ///< per active query: largest coordinate of its residual
        std::vector<std::int8_t> bytes;   ///< per active query: quantized residual, padded to whole groups
        std::vector<double> fixed;        ///< per active query: the part of the key that does not depend on the column
        std::vector<std::uint8_t> decoded, panels;
        std::vector<double> squares;  ///< per column: squared norm of the decoded residual
        std::vector<std::int32_t> starts;
        std::vector<std::int64_t> products;
        std::vector<float> keys;     ///< of the columns that pass
        std::vector<Index> numbers;  ///< of the columns that pass: index into `scanned`
        distance::Hits hits;
        Refinement refinement;
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
          bytes_(cells_.quantizer()),
          dims_((cells_.quantizer().dims() + cell_columns - 1) / cell_columns * cell_columns),
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

    void search_block(CodeWorkspace& w, std::span<const Index> queries, std::span<const Index> cells) const;
    void load(CodeWorkspace& w, std::span<const Index> queries) const;
    double center_on_cell(CodeWorkspace& w, Index cell) const;
    double usual_extent(CodeWorkspace& w, Index cell) const;
    [[nodiscard]] double reach() const { return far_spreads * static_cast<double>(cells_.quantizer().spread); }
    void scan_items(CodeWorkspace& w, double scale, Index first, Index count, Index number) const;
    void decode(CodeWorkspace& w, double scale, Index first, Index count) const;
    void offer_hits(CodeWorkspace& w, std::size_t active, double scale, Index number,
                    std::span<const std::uint16_t> columns) const;
    void refine(CodeWorkspace& w) const { w.refinement.refine(transform_, w.queries, w.lists, w.scanned, k_); }

    device::Cpu& cpu_;
    const ItemTransform& transform_;
    Index degree_;  ///< length of the points' lists, which calibrate
    Index k_;       ///< length of the items' lists
    SearchParameters parameters_;
    Index listed_;  ///< candidates by codes per query, the query itself included
    CodedCells cells_;
    ByteCodebooks bytes_;
    Index dims_;  ///< padded to cell_columns
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
    search_block(w, std::span(&item, 1), order);
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
            } else if (!(static_cast<double>(most) <= reach())) {
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
        search_block(w, block.queries, probed_cells(order));
        refine(w);
        for (std::size_t q = 0; q < block.queries.size(); ++q) found(block.queries[q], w.refinement.nearest(q), worker);
    });
}

void ProductQuantizedSearch::search_block(CodeWorkspace& w, std::span<const Index> queries,
                                          std::span<const Index> cells) const {
    load(w, queries);
    for (const Index cell : cells) {
        device::cancellation_point();
        const double scale = center_on_cell(w, cell);
        if (w.active.empty()) continue;
        const auto number = static_cast<Index>(w.scanned.size());
        const auto items = cells_.items(cell);
        w.scanned.insert(w.scanned.end(), items.begin(), items.end());
        for (Index i = 0; i < cells_.size(cell); i += distance::block_columns) {
            scan_items(w, scale, cells_.begin(cell) + i,
                       std::min(cells_.size(cell) - i, Index{distance::block_columns}), number + i);
        }
    }
    for (TopKBuffer& list : w.lists) list.shrink();
}

void ProductQuantizedSearch::load(CodeWorkspace& w, std::span<const Index> queries) const {
    const Index cols = transform_.cols();
    w.queries.assign(queries.begin(), queries.end());
    w.scanned.clear();
    w.lists.resize(queries.size());
    for (TopKBuffer& list : w.lists) list.reset(listed_);
    w.rows.resize(queries.size() * at(cols));
    for (std::size_t q = 0; q < queries.size(); ++q) transform_.row(queries[q], w.rows.data() + q * at(cols));
    const auto move = w.cell ? project_each : project;
    move(cells_.quantizer().axes, w.rows.data(), static_cast<Index>(queries.size()), w.coordinates);
    w.bytes.assign((queries.size() + distance::group_rows) * at(dims_) + at(distance::dot_columns), 0);
    w.starts.resize(distance::block_columns);
    w.squares.resize(distance::block_columns);
    w.products.resize(distance::block_columns);
    w.keys.resize(distance::block_columns);
    w.numbers.resize(distance::block_columns);
    w.panels.resize(at(distance::block_columns) * at(dims_));
    w.decoded.resize(at(distance::block_columns) * at(bytes_.stride()) + at(ByteCodebooks::slack));
}

/// Selects the queries that the cell's radius does not exclude, and quantizes their residuals. With residuals u of a
/// query and r of a row, |u - r|^2 = |u|^2 + |r|^2 - 2 u.r, where u.r is the product of the bytes times the returned
/// scale.
double ProductQuantizedSearch::center_on_cell(CodeWorkspace& w, Index cell) const {
    const float* centroid = cells_.quantizer().centroid(cell);
    const Index dims = cells_.quantizer().dims();
    w.active.clear();
    w.fixed.clear();
    w.extents.clear();
    for (std::size_t q = 0; q < w.queries.size(); ++q) {
        const ResidualExtent extent = residual_extent(w.coordinates.data() + q * at(dims), centroid, dims);
        const double least = std::max(0.0, std::sqrt(static_cast<double>(extent.squares)) - cells_.radius(cell));
        if (least * least > static_cast<double>(w.lists[q].limit())) continue;
        w.active.push_back(q);
        w.fixed.push_back(static_cast<double>(extent.squares));
        w.extents.push_back(extent.most);
    }
    if (w.active.empty()) return 0;
    const double least = bytes_.step() * std::max(1.0 / 16, dims_ * 0x1p-18);  // so that starts fit 32 bits
    const double step = std::max(usual_extent(w, cell) / 127, least);
    const double scale = step * bytes_.step();
    for (std::size_t i = 0; i < w.active.size(); ++i) {
        const float* row = w.coordinates.data() + w.active[i] * at(dims);
        std::int8_t* bytes = w.bytes.data() + i * at(dims_);
        w.fixed[i] += 256 * scale * quantize_residual(row, centroid, static_cast<float>(1 / step), dims, bytes);
    }
    return scale;
}

/// The largest coordinate of a residual that the step fits: of nine in ten active queries; or, for queries apart from
/// the points, the most that any can have, which depends on no other query.
double ProductQuantizedSearch::usual_extent(CodeWorkspace& w, Index cell) const {
    if (w.cell) {
        const ProductQuantizer& quantizer = cells_.quantizer();
        const auto apart = residual_extent(quantizer.centroid(*w.cell), quantizer.centroid(cell), quantizer.dims());
        return static_cast<double>(apart.most) + reach();
    }
    const auto usual = w.extents.begin() + (std::ssize(w.active) - 1) * 9 / 10;
    std::nth_element(w.extents.begin(), usual, w.extents.end());
    return static_cast<double>(*usual);
}

/// Decodes the items from position `first` on, as columns.
void ProductQuantizedSearch::decode(CodeWorkspace& w, double scale, Index first, Index count) const {
    bytes_.decode(cells_.codes(first), count, w.decoded.data());
    const double square = bytes_.step() * bytes_.step(), start = square / (2 * scale);
    const Index dims = dims_,
                columns = (count + distance::group_columns - 1) / distance::group_columns * distance::group_columns;
    for (Index column = 0; column < columns; ++column) {  // padding repeats the first item
        const std::uint8_t* row = w.decoded.data() + Offset{column < count ? column : 0} * bytes_.stride();
        std::uint8_t* out = w.panels.data() + Offset{column / distance::lanes} * distance::lanes * dims +
                            Offset{column % distance::lanes} * cell_columns;
        for (Index c = 0; c < dims; c += cell_columns)
            std::copy_n(row + c, cell_columns, out + Offset{c} * distance::lanes);
        const std::int32_t squares = distance::sums_of(row, cells_.quantizer().dims()).squares;
        w.squares[at(column)] = square * squares;
        w.starts[at(column)] = static_cast<std::int32_t>(start * squares);
    }
}

/// number: index of the first item in `scanned`.
void ProductQuantizedSearch::scan_items(CodeWorkspace& w, double scale, Index first, Index count, Index number) const {
    decode(w, scale, first, count);
    const int columns = (count + distance::group_columns - 1) / distance::group_columns * distance::group_columns;
    for (std::size_t begin = 0; begin < w.active.size(); begin += distance::group_rows) {
        const std::size_t rows = std::min<std::size_t>(distance::group_rows, w.active.size() - begin);
        std::int32_t least[distance::group_rows];
        for (std::size_t r = 0; r < distance::group_rows; ++r) {
            const std::size_t i = begin + std::min(r, rows - 1);
            const double bound = (w.fixed[i] - static_cast<double>(w.lists[w.active[i]].limit())) / (2 * scale);
            least[r] = static_cast<std::int32_t>(std::clamp(bound, -0x1p29, 0x1p30)) - 2;
        }
        std::fill(std::begin(w.hits.count), std::end(w.hits.count), 0);
        distance::scan_dots({w.panels.data(), columns, dims_}, w.starts.data(), w.bytes.data() + begin * at(dims_),
                            least, w.hits);
        for (std::size_t r = 0; r < rows; ++r) {
            std::span<const std::uint16_t> hits(w.hits.columns[r], static_cast<std::size_t>(w.hits.count[r]));
            while (!hits.empty() && hits.back() >= count) hits = hits.first(hits.size() - 1);
            if (!hits.empty()) offer_hits(w, begin + r, scale, number, hits);
        }
    }
}

/// Computes the keys of the hits and offers them to the query's list.
void ProductQuantizedSearch::offer_hits(CodeWorkspace& w, std::size_t active, double scale, Index number,
                                        std::span<const std::uint16_t> columns) const {
    TopKBuffer& list = w.lists[w.active[active]];
    distance::dots(w.decoded.data(), bytes_.stride(), columns, w.bytes.data() + active * at(dims_), w.products.data());
    for (std::size_t h = 0; h < columns.size(); ++h) {
        const double key = w.fixed[active] + w.squares[columns[h]] - 2 * scale * static_cast<double>(w.products[h]);
        w.keys[h] = static_cast<float>(std::max(key, 0.0));
        w.numbers[h] = number + columns[h];
    }
    list.offer(std::span(w.keys).first(columns.size()), std::span(w.numbers).first(columns.size()));
    list.tighten();
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
    device::hold_blas_to_one_thread();
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
