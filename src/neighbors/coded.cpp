#include "neighbors/coded.hpp"

#include <cmath>

#include "device/blas.hpp"
#include "math/at.hpp"
#include "neighbors/bytes.hpp"
#include "neighbors/coded_cells.hpp"
#include "neighbors/decode.hpp"
#include "neighbors/lists.hpp"
#include "neighbors/search_parts.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index cell_columns = 4;  ///< scan_dots takes coordinates by as many
constexpr Offset most_queries = 256;
constexpr Index sampled_items = 500;

/// Of five sampled items three say how many cells are to be met, and two what came of it.
constexpr bool measures(std::size_t sampled) { return sampled % 5 >= 3; }

/// How many are chosen by their codes.
Index listed_by(const Effort& effort, Index k, Index items) {
    return static_cast<Index>(std::min<Offset>(Offset{k} * effort.rerank, std::max(k, items - 1)));
}

class CodedSearch {
    struct Worker {
        Lists lists;
        std::vector<float> rows, coordinates;
        std::vector<std::size_t> active;  ///< queries that may find something in a cell
        std::vector<float> extents;       ///< of these, as far as the next two
        std::vector<std::int8_t> bytes;   ///< differences from its centroid, padded to whole groups
        std::vector<double> fixed;        ///< what of their keys no product changes
        std::vector<std::uint8_t> decoded, panels;
        std::vector<double> squares;  ///< per column, of its difference from the centroid
        std::vector<std::int32_t> starts;
        std::vector<std::int64_t> products;
        Hits hits;
        std::vector<std::pair<Index, std::size_t>> chosen;  ///< items, and the queries that chose them
        std::vector<Best> nearest;
    };

public:
    CodedSearch(device::Cpu& cpu, const Frame& frame, Index k, const Effort& effort, const Run& run)
        : cpu_(cpu),
          frame_(frame),
          k_(k),
          effort_(effort),
          listed_(listed_by(effort, k, frame.items())),
          cells_(frame, effort, run),
          bytes_(cells_.books()),
          dims_((cells_.books().dims() + cell_columns - 1) / cell_columns * cell_columns),
          truth_(frame, draw_from_parts(frame.items(), sampled_items, run.seed), k) {}

    void code_items(const Watch& watch) { cells_.fill(cpu_, frame_, watch, truth_); }
    /// How many cells a query is to meet. Lists are complete.
    Index choose_probes(const Watch& watch);
    /// Looks for all items; returns the share found.
    Recall run(Watch& watch, const Take& take);

private:
    std::vector<Index> ranks_of_found(Worker& w, std::size_t sampled, const Watch& watch) const;
    [[nodiscard]] std::span<const Index> met_cells(const std::vector<Index>& nearest) const;

    void search_block(Worker& w, std::span<const Index> queries, std::span<const Index> cells,
                      const Watch& watch) const;
    void load(Worker& w, std::span<const Index> queries) const;
    double turn_to(Worker& w, Index cell) const;
    void look_at(Worker& w, double scale, Index first, Index count) const;
    void decode(Worker& w, double scale, Index first, Index count) const;
    void weigh(Worker& w, std::size_t active, double scale, Index first, std::span<const std::uint16_t> columns) const;
    void rank(Worker& w) const;

    device::Cpu& cpu_;
    const Frame& frame_;
    Index k_;
    Effort effort_;
    Index listed_;  ///< by codes, for each query
    CodedCells cells_;
    ByteBooks bytes_;
    Index dims_;  ///< padded
    Truth truth_;
    Index probes_ = 0;
};

// Which cells are met

/// As many of the nearest as are to be met, and as hold k items beside the query.
std::span<const Index> CodedSearch::met_cells(const std::vector<Index>& nearest) const {
    std::size_t met = 0;
    for (Offset held = 0; held <= k_ && met < nearest.size(); ++met) held += cells_.size(nearest[met]);
    return std::span(nearest).first(std::max(met, at(std::min(probes_, cells_.count()))));
}

/// By what the codes find of the sampled items' neighbours among all cells: in fewer they find as many of those that
/// are there, or more.
Index CodedSearch::choose_probes(const Watch& watch) {
    if (effort_.probes) return probes_ = *effort_.probes;
    probes_ = cells_.count();
    std::vector<Index> chosen;
    for (std::size_t s = 0; s < truth_.items().size(); ++s) {
        if (!measures(s)) chosen.push_back(static_cast<Index>(s));
    }
    std::vector<std::vector<Index>> ranks(chosen.size());
    std::vector<Worker> workers(at(cpu_.threads()));
    cpu_.blocks(std::ssize(chosen), 1, [&](Offset c, Offset, int worker) {
        ranks[at(c)] = ranks_of_found(workers[at(worker)], at(chosen[at(c)]), watch);
    });
    if (watch.stopped()) return 0;
    Offset found = 0;
    for (const auto& of_item : ranks) found += std::ssize(of_item);
    require_reach(effort_, static_cast<double>(found) / static_cast<double>(std::ssize(ranks) * k_));
    return probes_ = least_cells(ranks, k_, cells_.count(), effort_.recall);
}

/// Where the cells stand, for the sampled item's own, that hold what is found of its nearest; ascending.
std::vector<Index> CodedSearch::ranks_of_found(Worker& w, std::size_t sampled, const Watch& watch) const {
    const Index item = truth_.items()[sampled], own = cells_.cell_of(item);
    const std::vector<Index> order = cells_.nearest(own);
    search_block(w, std::span(&item, 1), order, watch);
    std::vector<Index> rank_of(order.size()), ranks;
    for (std::size_t r = 0; r < order.size(); ++r) rank_of[at(order[r])] = static_cast<Index>(r);
    const double limit = truth_.keys(sampled).back() * (1 + 1e-6);
    rank(w);
    for (const Candidate& near : w.nearest[0].sorted()) {
        if (near.key <= limit) ranks.push_back(rank_of[at(cells_.cell_of(frame_.item_of(near.row)))]);
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

Recall CodedSearch::run(Watch& watch, const Take& take) {
    struct Block {
        Index cell, first, count;  ///< of the cell's items
    };
    std::vector<Block> blocks;
    const auto together = static_cast<Index>(Lists::most_rows(listed_, most_queries));
    for (Index cell = 0; cell < cells_.count(); ++cell) {
        const Index items = cells_.size(cell);
        for (Index first = 0; first < items; first += together) {
            blocks.push_back({cell, first, std::min(items - first, together)});
        }
    }
    const std::vector<Index>& sampled = truth_.items();
    std::vector<double> shares(sampled.size(), 0);
    std::vector<Worker> workers(at(cpu_.threads()));
    cpu_.blocks(std::ssize(blocks), 1, [&](Offset b, Offset, int worker) {
        Worker& w = workers[at(worker)];
        const Block& block = blocks[at(b)];
        const auto queries = cells_.items(block.cell).subspan(at(block.first), at(block.count));
        const std::vector<Index> order = cells_.nearest(block.cell);
        search_block(w, queries, met_cells(order), watch);
        if (watch.stopped()) return;
        rank(w);
        for (std::size_t q = 0; q < queries.size(); ++q) {
            const auto nearest = w.nearest[q].sorted();
            take(queries[q], nearest);
            const auto place = std::lower_bound(sampled.begin(), sampled.end(), queries[q]);
            if (place == sampled.end() || *place != queries[q]) continue;
            const auto s = static_cast<std::size_t>(place - sampled.begin());
            std::vector<double> keys;
            for (const Candidate& each : nearest) keys.push_back(each.key);
            shares[s] = share_found<double>(keys, truth_.keys(s));
        }
        watch.advance(block.count, worker);
    });
    std::vector<double> measured;
    for (std::size_t s = 0; s < shares.size(); ++s) {
        if (measures(s)) measured.push_back(shares[s]);
    }
    return recall_of(measured.empty() ? shares : measured);
}

// A block of queries

void CodedSearch::search_block(Worker& w, std::span<const Index> queries, std::span<const Index> cells,
                               const Watch& watch) const {
    load(w, queries);
    for (const Index cell : cells) {
        if (watch.stopped()) return;
        const double scale = turn_to(w, cell);
        if (w.active.empty()) continue;
        const Index end = cells_.begin(cell + 1);
        for (Index first = cells_.begin(cell); first < end; first += block_columns) {
            look_at(w, scale, first, std::min(end - first, Index{block_columns}));
        }
    }
}

void CodedSearch::load(Worker& w, std::span<const Index> queries) const {
    const Index cols = frame_.cols();
    w.lists.items.assign(queries.begin(), queries.end());
    w.lists.reset(listed_);
    w.rows.resize(queries.size() * at(cols));
    for (std::size_t q = 0; q < queries.size(); ++q) frame_.row(queries[q], w.rows.data() + q * at(cols));
    project(cells_.books().axes, w.rows.data(), static_cast<Index>(queries.size()), w.coordinates);
    w.bytes.assign((queries.size() + group_rows) * at(dims_) + at(dot_columns), 0);
    w.starts.resize(block_columns);
    w.squares.resize(block_columns);
    w.products.resize(block_columns);
    w.panels.resize(at(block_columns) * at(dims_));
    w.decoded.resize(at(block_columns) * at(bytes_.stride()) + at(ByteBooks::slack));
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
    for (std::size_t q = 0; q < w.lists.items.size(); ++q) {
        const Extent extent = extent_of(w.coordinates.data() + q * at(dims), centroid, dims);
        const double least = std::max(0.0, std::sqrt(static_cast<double>(extent.squares)) - cells_.radius(cell));
        if (least * least > w.lists.limits[q]) continue;
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
    const double step = bytes_.step();
    const Index columns = (count + group_columns - 1) / group_columns * group_columns;
    for (Index column = 0; column < columns; ++column) {  // those beyond the items repeat the first
        const std::uint8_t* row = w.decoded.data() + Offset{column < count ? column : 0} * bytes_.stride();
        std::uint8_t* out =
            w.panels.data() + Offset{column / lanes} * lanes * dims_ + Offset{column % lanes} * cell_columns;
        for (Index c = 0; c < dims_; c += cell_columns) std::copy_n(row + c, cell_columns, out + Offset{c} * lanes);
        w.squares[at(column)] = step * step * sums_of(row, cells_.books().dims()).squares;
        w.starts[at(column)] = static_cast<std::int32_t>(w.squares[at(column)] / (2 * scale));
    }
}

void CodedSearch::look_at(Worker& w, double scale, Index first, Index count) const {
    decode(w, scale, first, count);
    const int columns = (count + group_columns - 1) / group_columns * group_columns;
    for (std::size_t begin = 0; begin < w.active.size(); begin += group_rows) {
        const std::size_t rows = std::min<std::size_t>(group_rows, w.active.size() - begin);
        std::int32_t least[group_rows];
        for (std::size_t r = 0; r < group_rows; ++r) {
            const std::size_t i = begin + std::min(r, rows - 1);
            const double bound = (w.fixed[i] - w.lists.limits[w.active[i]]) / (2 * scale);
            least[r] = static_cast<std::int32_t>(std::clamp(bound, -0x1p29, 0x1p30)) - 2;
        }
        std::fill(std::begin(w.hits.count), std::end(w.hits.count), 0);
        scan_dots({w.panels.data(), columns, dims_}, w.starts.data(), w.bytes.data() + begin * at(dims_), least,
                  w.hits);
        for (std::size_t r = 0; r < rows; ++r) {
            std::span<const std::uint16_t> hits(w.hits.columns[r], static_cast<std::size_t>(w.hits.count[r]));
            while (!hits.empty() && hits.back() >= count) hits = hits.first(hits.size() - 1);
            if (!hits.empty()) weigh(w, begin + r, scale, first, hits);
        }
    }
}

/// Offers what passed to the query's list.
void CodedSearch::weigh(Worker& w, std::size_t active, double scale, Index first,
                        std::span<const std::uint16_t> columns) const {
    const std::size_t query = w.active[active];
    dots(w.decoded.data(), bytes_.stride(), columns, w.bytes.data() + active * at(dims_), w.products.data());
    for (std::size_t h = 0; h < columns.size(); ++h) {
        const Index item = cells_.item(first + columns[h]);
        if (item == w.lists.items[query]) continue;
        const double key = w.fixed[active] + w.squares[columns[h]] - 2 * scale * static_cast<double>(w.products[h]);
        w.lists.best[query].offer({key, item});
    }
    w.lists.tighten(query);
}

/// The k nearest of what the codes chose for each query. Queries of a cell choose the same items again and again: in
/// the order of items, each row is read from afar once.
void CodedSearch::rank(Worker& w) const {
    const std::size_t queries = w.lists.items.size();
    w.chosen.clear();
    if (w.nearest.size() < queries) w.nearest.resize(queries);
    for (std::size_t q = 0; q < queries; ++q) {
        w.nearest[q].reset(k_);
        for (const Candidate& found : w.lists.best[q].sorted()) w.chosen.push_back({found.row, q});
    }
    std::sort(w.chosen.begin(), w.chosen.end());
    for (const auto& [item, q] : w.chosen) {
        const Index row = frame_.row_of(item);
        w.nearest[q].offer({frame_.space().key(frame_.row_of(w.lists.items[q]), row), row});
    }
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
    const auto together = static_cast<std::uint64_t>(Lists::most_rows(listed, most_queries));
    const std::uint64_t lists = together * (2 * Best::bytes(listed) + Best::bytes(k) + 4 * (cols + dims));
    const std::uint64_t sample = sampled_items * (4 * cols + 2 * Best::bytes(k) + (std::uint64_t{1} << 15));
    return rows * (2 * static_cast<std::uint64_t>(effort.codes) + 96) + sampled * dims * 16 +
           (passing + (std::uint64_t{1} << 12)) * cols * 4 + sample +
           static_cast<std::uint64_t>(threads) * (lists + passing * 256 + (std::uint64_t{1} << 20));
}

Coded search_coded(device::Cpu& cpu, const Space& space, const Duplicates& groups, Index k, const Effort& effort,
                   const Run& run, Watch& watch, const Take& take) {
    device::hold_blas_to_one_thread();
    const Index wanted = std::min(k, groups.size() - 1);
    if (wanted == 0) {
        take(0, {});
        return {};
    }
    const Frame frame(space, groups);
    CodedSearch search(cpu, frame, wanted, effort,
                       {.device = Device::cpu, .threads = cpu.threads(), .seed = run.seed, .stop = run.stop});
    search.code_items(watch);
    if (watch.stopped()) return {};
    const Index probes = search.choose_probes(watch);
    if (watch.stopped()) return {};
    return {std::min(probes, groups.size()), search.run(watch, take)};
}

}  // namespace dunlin::neighbors
