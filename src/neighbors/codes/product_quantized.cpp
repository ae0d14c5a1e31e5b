// SPDX-License-Identifier: Apache-2.0
#include "neighbors/codes/product_quantized.hpp"

#include <cmath>

#include "device/blas.hpp"
#include "device/cancel.hpp"
#include "math/at.hpp"
#include "neighbors/codes/byte_codebooks.hpp"
#include "neighbors/codes/coded_cells.hpp"
#include "neighbors/codes/refinement.hpp"
#include "neighbors/codes/residuals.hpp"
#include "neighbors/recall/recall_sample.hpp"
#include "neighbors/strategies.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index cell_columns = 4;  ///< scan_dots takes coordinates by as many
constexpr Offset most_queries = 256;

/// How many are listed by their codes: the query itself, which is near its own code as a rule, and those to rank.
Index listed_by(const Effort& effort, Index k, Index items) {
    return static_cast<Index>(std::min<Offset>(Offset{k} * effort.rerank, std::max(k, items - 1))) + 1;
}

/// Queries that meet cells together, so that lists stay within some 64 MB a thread.
Index together_by(Index listed) {
    const auto fit = static_cast<Offset>((std::size_t{64} << 20) / Shortlist::bytes(listed));
    return static_cast<Index>(std::clamp<Offset>(fit, 1, most_queries));
}

class CodedSearch {
    struct Worker {
        std::vector<Index> queries, met;  ///< items; a list names those met by their numbers here
        std::vector<Shortlist> lists;     ///< per query, by what the codes say
        std::vector<float> rows, coordinates;
        std::vector<std::size_t> active;  ///< queries that may find something in a cell
        std::vector<float> extents;       ///< of these, as far as the next two
        std::vector<std::int8_t> bytes;   ///< differences from its centroid, padded to whole groups
        std::vector<double> fixed;        ///< what of their keys no product changes
        std::vector<std::uint8_t> decoded, panels;
        std::vector<double> squares;  ///< per column, of its difference from the centroid
        std::vector<std::int32_t> starts;
        std::vector<std::int64_t> products;
        std::vector<float> keys;     ///< of items that passed
        std::vector<Index> numbers;  ///< of these
        distance::Hits hits;
        Ranking ranking;
    };

public:
    CodedSearch(device::Cpu& cpu, const Frame& frame, Index degree, const Effort& effort, const Run& run)
        : cpu_(cpu),
          frame_(frame),
          degree_(degree),
          k_(std::min(degree, frame.items() - 1)),
          effort_(effort),
          listed_(listed_by(effort, k_, frame.items())),
          cells_(frame, effort, run),
          bytes_(cells_.books()),
          dims_((cells_.books().dims() + cell_columns - 1) / cell_columns * cell_columns),
          sample_(sample_items(frame, sample_size(effort), degree, run.seed)) {}

    void code_items();
    /// How many cells a query is to meet. Lists are complete.
    void choose_probes();
    /// More, as the recall of the test rows is less than is wanted. Throws Error{bad_input} if all cells hold too
    /// little.
    void meet_more(double measured);
    [[nodiscard]] Index probes() const { return std::min(probes_, cells_.count()); }
    /// Looks for all items; returns the share found.
    Recall run(SearchProgress& progress, const Take& take);

private:
    template <class Wanted>
    [[nodiscard]] std::vector<std::vector<Index>> ranks_of(const Wanted& wanted) const;
    [[nodiscard]] Index least_probes(const RecallSample::Ranks& of_rows, double margin, Index from) const;
    std::vector<Index> ranks_of_found(Worker& w, std::size_t sampled) const;
    [[nodiscard]] std::span<const Index> met_cells(const std::vector<Index>& nearest) const;

    void search_block(Worker& w, std::span<const Index> queries, std::span<const Index> cells) const;
    void load(Worker& w, std::span<const Index> queries) const;
    double turn_to(Worker& w, Index cell) const;
    void look_at(Worker& w, double scale, Index first, Index count, Index number) const;
    void decode(Worker& w, double scale, Index first, Index count) const;
    void weigh(Worker& w, std::size_t active, double scale, Index number, std::span<const std::uint16_t> columns) const;
    void rank(Worker& w) const { w.ranking.rank(frame_, w.queries, w.lists, w.met, k_); }

    device::Cpu& cpu_;
    const Frame& frame_;
    Index degree_;  ///< of rows' lists
    Index k_;       ///< of items' lists
    Effort effort_;
    Index listed_;  ///< by codes, for each query, itself among them
    CodedCells cells_;
    ByteBooks bytes_;
    Index dims_;  ///< padded
    RecallSample sample_;
    Index probes_ = 0;
};

/// The sample's exact neighbors are found while all rows pass by.
void CodedSearch::code_items() {
    Truth truth(frame_, sample_.items(), k_);
    cells_.fill(cpu_, frame_, truth);
    for (std::size_t i = 0; i < sample_.items().size(); ++i) {
        sample_.set_truth(i, near_items(frame_, truth.nearest(i)));
    }
}

// Which cells are met

/// As many of the nearest as are to be met, and as hold k items beside the query.
std::span<const Index> CodedSearch::met_cells(const std::vector<Index>& nearest) const {
    std::size_t met = 0;
    for (Offset held = 0; held <= k_ && met < nearest.size(); ++met) held += cells_.size(nearest[met]);
    return std::span(nearest).first(std::max(met, at(std::min(probes_, cells_.count()))));
}

/// By what the codes find of the sampled items' neighbors among all cells: in fewer they find as many of those that
/// are there, or more.
void CodedSearch::choose_probes() {
    if (effort_.probes) {
        probes_ = *effort_.probes;
        return;
    }
    probes_ = cells_.count();
    const auto ranks = ranks_of([this](std::size_t i) { return sample_.calibrates(i); });
    probes_ = least_probes(sample_.of_calibration(ranks), sample_.margin(), 1);
}

void CodedSearch::meet_more(double measured) {
    if (probes_ >= cells_.count()) require_reach(effort_, measured);
    const auto ranks = ranks_of([this](std::size_t i) { return sample_.measures(i); });
    const Index more = std::min(cells_.count(), probes_ + std::max(1, probes_ / 16));
    probes_ = least_probes(sample_.of_test(ranks), 0, more);
}

/// The least number of cells, or `from`, in which the wanted share of some rows' lists is found.
Index CodedSearch::least_probes(const RecallSample::Ranks& of_rows, double margin, Index from) const {
    require_reach(effort_, share_in_all_cells(of_rows, degree_));
    return least_cells(of_rows, degree_, cells_.count(), effort_.recall, margin, from);
}

/// For the sample's items of which wanted(i) is true: where what is found among all cells lies.
template <class Wanted>
std::vector<std::vector<Index>> CodedSearch::ranks_of(const Wanted& wanted) const {
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < sample_.items().size(); ++i) {
        if (wanted(i)) asked.push_back(i);
    }
    std::vector<std::vector<Index>> ranks(sample_.items().size());
    std::vector<Worker> workers(at(cpu_.threads()));
    cpu_.blocks(std::ssize(asked), 1, [&](Offset a, Offset, int worker) {
        ranks[asked[at(a)]] = ranks_of_found(workers[at(worker)], asked[at(a)]);
    });
    return ranks;
}

/// The ranks, by distance from the item's own, of the cells that hold what is found of its rows' lists.
std::vector<Index> CodedSearch::ranks_of_found(Worker& w, std::size_t sampled) const {
    const Index item = sample_.items()[sampled], own = cells_.cell_of(item);
    const std::vector<Index> order = cells_.nearest(own);
    search_block(w, std::span(&item, 1), order);
    std::vector<Index> rank_of(order.size());
    for (std::size_t r = 0; r < order.size(); ++r) rank_of[at(order[r])] = static_cast<Index>(r);
    rank(w);
    return sample_.ranks_of(sampled, near_items(frame_, w.ranking.nearest(0)),
                            [&](Index other) { return rank_of[at(cells_.cell_of(other))]; });
}

Recall CodedSearch::run(SearchProgress& progress, const Take& take) {
    struct Block {
        Index cell, first, count;  ///< of the cell's items
    };
    std::vector<Block> blocks;
    const Index together = together_by(listed_);
    for (Index cell = 0; cell < cells_.count(); ++cell) {
        const Index items = cells_.size(cell);
        for (Index first = 0; first < items; first += together) {
            blocks.push_back({cell, first, std::min(items - first, together)});
        }
    }
    std::vector<Worker> workers(at(cpu_.threads()));
    cpu_.blocks(std::ssize(blocks), 1, [&](Offset b, Offset, int worker) {
        Worker& w = workers[at(worker)];
        const Block& block = blocks[at(b)];
        const auto queries = cells_.items(block.cell).subspan(at(block.first), at(block.count));
        const std::vector<Index> order = cells_.nearest(block.cell);
        search_block(w, queries, met_cells(order));
        rank(w);
        for (std::size_t q = 0; q < queries.size(); ++q) {
            const auto nearest = w.ranking.nearest(q);
            take(queries[q], nearest);
            record(sample_, frame_, queries[q], nearest);
        }
        progress.advance(block.count, worker);
    });
    return sample_.recall();
}

// A block of queries

void CodedSearch::search_block(Worker& w, std::span<const Index> queries, std::span<const Index> cells) const {
    load(w, queries);
    for (const Index cell : cells) {
        device::cancellation_point();
        const double scale = turn_to(w, cell);
        if (w.active.empty()) continue;
        const auto number = static_cast<Index>(w.met.size());
        const auto items = cells_.items(cell);
        w.met.insert(w.met.end(), items.begin(), items.end());
        for (Index i = 0; i < cells_.size(cell); i += distance::block_columns) {
            look_at(w, scale, cells_.begin(cell) + i, std::min(cells_.size(cell) - i, Index{distance::block_columns}),
                    number + i);
        }
    }
    for (Shortlist& list : w.lists) list.shrink();
}

void CodedSearch::load(Worker& w, std::span<const Index> queries) const {
    const Index cols = frame_.cols();
    w.queries.assign(queries.begin(), queries.end());
    w.met.clear();
    w.lists.resize(queries.size());
    for (Shortlist& list : w.lists) list.reset(listed_);
    w.rows.resize(queries.size() * at(cols));
    for (std::size_t q = 0; q < queries.size(); ++q) frame_.row(queries[q], w.rows.data() + q * at(cols));
    project(cells_.books().axes, w.rows.data(), static_cast<Index>(queries.size()), w.coordinates);
    w.bytes.assign((queries.size() + distance::group_rows) * at(dims_) + at(distance::dot_columns), 0);
    w.starts.resize(distance::block_columns);
    w.squares.resize(distance::block_columns);
    w.products.resize(distance::block_columns);
    w.keys.resize(distance::block_columns);
    w.numbers.resize(distance::block_columns);
    w.panels.resize(at(distance::block_columns) * at(dims_));
    w.decoded.resize(at(distance::block_columns) * at(bytes_.stride()) + at(ByteBooks::slack));
}

/// The queries that may find something in the cell, as bytes around its centroid, in a step that suits nine in ten.
/// With u and r what a query and a row differ from it by, |u - r|^2 = |u|^2 + |r|^2 - 2 u.r, and u.r is a product of
/// bytes times the scale returned.
double CodedSearch::turn_to(Worker& w, Index cell) const {
    const float* centroid = cells_.books().centroid(cell);
    const Index dims = cells_.books().dims();
    w.active.clear();
    w.fixed.clear();
    w.extents.clear();
    for (std::size_t q = 0; q < w.queries.size(); ++q) {
        const Extent extent = extent_of(w.coordinates.data() + q * at(dims), centroid, dims);
        const double least = std::max(0.0, std::sqrt(static_cast<double>(extent.squares)) - cells_.radius(cell));
        if (least * least > static_cast<double>(w.lists[q].limit())) continue;
        w.active.push_back(q);
        w.fixed.push_back(static_cast<double>(extent.squares));
        w.extents.push_back(extent.most);
    }
    if (w.active.empty()) return 0;
    const auto usual = w.extents.begin() + (std::ssize(w.active) - 1) * 9 / 10;
    std::nth_element(w.extents.begin(), usual, w.extents.end());
    const double least = bytes_.step() * std::max(1.0 / 16, dims_ * 0x1p-18);  // starts fit 32 bits
    const double step = std::max(static_cast<double>(*usual) / 127, least);
    const double scale = step * bytes_.step();
    for (std::size_t i = 0; i < w.active.size(); ++i) {
        const float* row = w.coordinates.data() + w.active[i] * at(dims);
        std::int8_t* bytes = w.bytes.data() + i * at(dims_);
        w.fixed[i] += 256 * scale * round_difference(row, centroid, static_cast<float>(1 / step), dims, bytes);
    }
    return scale;
}

/// Columns are the items from place `first` on.
void CodedSearch::decode(Worker& w, double scale, Index first, Index count) const {
    bytes_.decode(cells_.codes(first), count, w.decoded.data());
    const double square = bytes_.step() * bytes_.step(), start = square / (2 * scale);
    const Index dims = dims_,
                columns = (count + distance::group_columns - 1) / distance::group_columns * distance::group_columns;
    for (Index column = 0; column < columns; ++column) {  // those beyond the items repeat the first
        const std::uint8_t* row = w.decoded.data() + Offset{column < count ? column : 0} * bytes_.stride();
        std::uint8_t* out = w.panels.data() + Offset{column / distance::lanes} * distance::lanes * dims +
                            Offset{column % distance::lanes} * cell_columns;
        for (Index c = 0; c < dims; c += cell_columns)
            std::copy_n(row + c, cell_columns, out + Offset{c} * distance::lanes);
        const std::int32_t squares = distance::sums_of(row, cells_.books().dims()).squares;
        w.squares[at(column)] = square * squares;
        w.starts[at(column)] = static_cast<std::int32_t>(start * squares);
    }
}

/// Number: of the first item among those met.
void CodedSearch::look_at(Worker& w, double scale, Index first, Index count, Index number) const {
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
            if (!hits.empty()) weigh(w, begin + r, scale, number, hits);
        }
    }
}

/// Offers what passed to the query's list.
void CodedSearch::weigh(Worker& w, std::size_t active, double scale, Index number,
                        std::span<const std::uint16_t> columns) const {
    Shortlist& list = w.lists[w.active[active]];
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

/// For each row its code twice, while codes are put in order, and its places; what is learnt from, along the axes, and
/// the copies that k-means takes; rows that pass by; lists.
std::uint64_t coded_bytes(MatrixView<const float> points, Index k, const Effort& effort, int threads) {
    const auto rows = static_cast<std::uint64_t>(points.rows), cols = static_cast<std::uint64_t>(points.cols);
    const auto sampled = static_cast<std::uint64_t>(sampled_for_codes(points.rows, cells_for(points.rows, effort)));
    const auto dims = static_cast<std::uint64_t>(axes_for_codes(points.cols, effort.codes));
    const auto passing = static_cast<std::uint64_t>(items_at_once(points.cols));
    const Index listed = listed_by(effort, k, points.rows);
    const std::uint64_t query = Shortlist::bytes(listed) + Ranking::bytes(listed, k) + 4 * (cols + dims);
    const std::uint64_t lists = static_cast<std::uint64_t>(together_by(listed)) * query + 8 * rows;
    const std::uint64_t sample = sample_by_codes.all * (4 * cols + 2 * Best::bytes(k) + (std::uint64_t{1} << 15));
    return rows * (2 * static_cast<std::uint64_t>(effort.codes) + 96) + sampled * dims * 16 +
           (passing + (std::uint64_t{1} << 12)) * cols * 4 + sample +
           static_cast<std::uint64_t>(threads) * (lists + passing * 256 + (std::uint64_t{1} << 20));
}

Outcome search_coded(device::Cpu& cpu, const distance::Space& space, const Duplicates& groups, Index k,
                     const Effort& effort, const Run& run, SearchProgress& progress, const Take& take) {
    device::hold_blas_to_one_thread();
    if (groups.size() == 1) {
        take(0, {});
        return {};
    }
    const Frame frame(space, groups);
    CodedSearch search(cpu, frame, k, effort,
                       {.device = Device::cpu, .threads = cpu.threads(), .seed = run.seed, .stop = run.stop});
    search.code_items();
    search.choose_probes();
    for (;;) {
        const Recall recall = search.run(progress, take);
        if (effort.probes || recall.mean >= effort.recall) return {search.probes(), recall};
        search.meet_more(recall.mean);
    }
}

}  // namespace dunlin::neighbors
