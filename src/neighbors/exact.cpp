#include "neighbors/exact.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "device/blas.hpp"
#include "neighbors/boxes.hpp"
#include "neighbors/panels.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index few_columns = 8;     ///< up to this many, coordinates are floats
constexpr Index many_columns = 160;  ///< beyond, bytes along the principal axes come first
constexpr Index axes_kept = 96;
constexpr Index most_fine_columns = 60000;  ///< their products fit 32 bits
constexpr Index leaf_of_floats = group_columns;
constexpr std::size_t scratch_bytes = std::size_t{64} << 20;  ///< a worker's lists

/// All columns in bytes, for rows whose coordinates along the axes are not far enough apart. Rows in tree order.
struct Fine {
    Sketch<std::uint8_t> sketch;
    std::vector<ByteSums> sums;
    float error = 0;  ///< the largest
    bool exact = false;
};

template <class Value, Law law>
class Search {
    using Row = std::conditional_t<std::is_same_v<Value, float>, float,
                                   std::conditional_t<law == Law::squares, std::int8_t, std::uint8_t>>;
    using Bound = std::conditional_t<std::is_same_v<Value, float>, float, std::int32_t>;
    static constexpr bool floats = std::is_same_v<Value, float>;

    /// What one thread needs for a block of queries.
    struct Worker {
        std::vector<Index> items;
        std::vector<Row> rows;  ///< padded to whole groups
        std::vector<ByteSums> sums;
        std::vector<Value> box;
        std::vector<Best> best;
        std::vector<double> limits;   ///< of the keys
        std::vector<double> reaches;  ///< of the sketch, without the other row's error
        std::vector<double> fine_reaches;
        std::vector<std::int8_t> fine_rows;
        Hits hits;
    };

public:
    Search(device::Cpu& cpu, const Frame& frame, const Census& census, Index k)
        : cpu_(cpu),
          frame_(frame),
          k_(k),
          sketch_(make_sketch(census)),
          tree_(cpu, sketch_, floats ? leaf_of_floats : block_columns) {
        lay_out_leaves();
        if (axes_ && frame.cols() <= most_fine_columns) make_fine(census);
    }

    void run(std::span<const Index> queries, Watch& watch, const Take& take) {
        const std::vector<Index> order = in_tree_order(queries);
        const std::vector<Offset> blocks = cut(queries, order);
        std::vector<Worker> workers(static_cast<std::size_t>(cpu_.threads()));
        cpu_.blocks(std::ssize(blocks) - 1, 1, [&](Offset b, Offset, int worker) {
            if (watch.stopped()) return;
            Worker& w = workers[static_cast<std::size_t>(worker)];
            const auto begin = static_cast<std::size_t>(blocks[static_cast<std::size_t>(b)]);
            const auto end = static_cast<std::size_t>(blocks[static_cast<std::size_t>(b) + 1]);
            w.items.clear();
            for (std::size_t q = begin; q < end; ++q) w.items.push_back(queries[static_cast<std::size_t>(order[q])]);
            load(w);
            visit(w, {0, 0, tree_.leaves()});
            for (std::size_t q = begin; q < end; ++q) take(order[q], w.best[q - begin].sorted());
            watch.advance(static_cast<Offset>(end - begin), worker);
        });
    }

private:
    Sketch<Value> make_sketch(const Census& census) {
        std::vector<Index> all(static_cast<std::size_t>(frame_.items()));
        std::iota(all.begin(), all.end(), 0);
        if constexpr (floats) {
            return sketch_floats(cpu_, frame_, all);
        } else {
            if (law == Law::squares && frame_.cols() > many_columns) axes_.emplace(frame_, axes_kept);
            return sketch_bytes(cpu_, frame_, census, all, cell_of<Value, law>, axes_ ? &*axes_ : nullptr);
        }
    }

    void lay_out_leaves() {
        const Index leaf_items = (frame_.items() + tree_.leaves() - 1) / tree_.leaves();
        leaf_columns_ = (leaf_items + group_columns - 1) / group_columns * group_columns;
        panels_.resize(static_cast<std::size_t>(tree_.leaves()) * static_cast<std::size_t>(leaf_columns_) *
                       static_cast<std::size_t>(sketch_.dims));
        if (!floats && law == Law::squares) {
            starts_.resize(static_cast<std::size_t>(tree_.leaves()) * static_cast<std::size_t>(leaf_columns_));
        }
        place_of_.resize(static_cast<std::size_t>(frame_.items()));
        cpu_.each(
            tree_.leaves(),
            [&](Offset leaf) {
                const auto items = leaf_items_of(static_cast<Index>(leaf));
                const Offset column = leaf * leaf_columns_;
                lay_out<Value, law>(sketch_, items, panels_.data() + column * sketch_.dims);
                for (std::size_t i = 0; i < items.size(); ++i) {
                    place_of_[static_cast<std::size_t>(items[i])] =
                        tree_.begin(static_cast<Index>(leaf)) + static_cast<Index>(i);
                    if constexpr (!floats && law == Law::squares) {
                        starts_[static_cast<std::size_t>(column) + i] =
                            sums_of(sketch_.row(items[i]), sketch_.dims).squares / 2;
                    }
                }
            },
            1);
    }

    void make_fine(const Census& census) {
        fine_.emplace();
        fine_->sketch = sketch_bytes(cpu_, frame_, census, tree_.order(), 64);
        fine_->sums.resize(tree_.order().size());
        cpu_.each(std::ssize(tree_.order()), [&](Offset r) {
            fine_->sums[static_cast<std::size_t>(r)] =
                sums_of(fine_->sketch.row(static_cast<Index>(r)), fine_->sketch.dims);
        });
        fine_->error = *std::max_element(fine_->sketch.errors.begin(), fine_->sketch.errors.end());
        fine_->exact = fine_->error == 0;
    }

    [[nodiscard]] std::span<const Index> leaf_items_of(Index leaf) const {
        const auto from = static_cast<std::size_t>(tree_.begin(leaf)),
                   to = static_cast<std::size_t>(tree_.begin(leaf + 1));
        return std::span(tree_.order()).subspan(from, to - from);
    }

    // Queries near each other share a block

    [[nodiscard]] std::vector<Index> in_tree_order(std::span<const Index> queries) const {
        std::vector<Index> order(queries.size());
        std::iota(order.begin(), order.end(), 0);
        const auto place = [&](Index q) {
            return place_of_[static_cast<std::size_t>(queries[static_cast<std::size_t>(q)])];
        };
        std::sort(order.begin(), order.end(), [&](Index a, Index b) { return place(a) < place(b); });
        return order;
    }

    /// Blocks end with a leaf, unless they would be too small or too large.
    [[nodiscard]] std::vector<Offset> cut(std::span<const Index> queries, const std::vector<Index>& order) const {
        const Offset least = floats ? group_rows : 8 * group_rows;
        const Offset most = std::clamp<Offset>(static_cast<Offset>(scratch_bytes / Best::bytes(k_)), group_rows,
                                               floats ? leaf_of_floats : block_columns);
        std::vector<Offset> cuts{0};
        const auto leaf = [&](std::size_t at) {
            const Offset place = place_of_[static_cast<std::size_t>(queries[static_cast<std::size_t>(order[at])])];
            return place * tree_.leaves() / frame_.items();  // near enough: it only cuts
        };
        for (std::size_t at = 1; at < order.size(); ++at) {
            const Offset size = static_cast<Offset>(at) - cuts.back();
            if (size >= most || (size >= least && leaf(at) != leaf(at - 1))) cuts.push_back(static_cast<Offset>(at));
        }
        if (!order.empty()) cuts.push_back(std::ssize(order));
        return cuts;
    }

    void load(Worker& w) const {
        const std::size_t count = w.items.size();
        const auto dims = static_cast<std::size_t>(sketch_.dims);
        const std::size_t padded = (count + group_rows - 1) / group_rows * group_rows;
        w.rows.assign(padded * dims, Row{});
        w.sums.resize(count);
        w.box.resize(2 * dims);
        if (w.best.size() < count) w.best.resize(count);
        w.limits.assign(count, std::numeric_limits<double>::infinity());
        w.reaches.assign(count, std::numeric_limits<double>::infinity());
        w.fine_reaches.assign(count, std::numeric_limits<double>::infinity());
        for (std::size_t i = 0; i < count; ++i) {
            const Value* row = sketch_.row(w.items[i]);
            if (i == 0) std::copy_n(row, dims, w.box.data());
            if (i == 0) std::copy_n(row, dims, w.box.data() + dims);
            enclose(w.box.data(), row, sketch_.dims);
            for (std::size_t c = 0; c < dims; ++c) w.rows[i * dims + c] = as_row(row[c]);
            if constexpr (!floats) w.sums[i] = sums_of(row, sketch_.dims);
            w.best[i].reset(k_);
        }
        if (fine_) load_fine(w);
    }

    void load_fine(Worker& w) const {
        const auto dims = static_cast<std::size_t>(fine_->sketch.dims);
        w.fine_rows.resize(w.items.size() * dims);
        for (std::size_t i = 0; i < w.items.size(); ++i) {
            const std::uint8_t* row = fine_->sketch.row(place_of_[static_cast<std::size_t>(w.items[i])]);
            for (std::size_t c = 0; c < dims; ++c)
                w.fine_rows[i * dims + c] = static_cast<std::int8_t>(int{row[c]} - 128);
        }
    }

    static Row as_row(Value value) {
        if constexpr (std::is_same_v<Row, std::int8_t>) {
            return static_cast<std::int8_t>(int{value} - 128);
        } else {
            return value;
        }
    }

    struct Node {
        Index node, first, leaves;
    };

    static double apart(double gap) { return law == Law::squares ? std::sqrt(gap) : gap; }

    /// Looks at the leaves under a node that may hold a neighbour, nearer ones first.
    void visit(Worker& w, Node n) const {
        if (n.leaves == 1) return look_at(w, n);
        const Node left{n.node + 1, n.first, n.leaves / 2};
        const Node right{n.node + 2 * (n.leaves / 2), n.first + n.leaves / 2, n.leaves - n.leaves / 2};
        const double to_left = apart(box_gap(law, w.box.data(), tree_.box(left.node), sketch_.dims));
        const double to_right = apart(box_gap(law, w.box.data(), tree_.box(right.node), sketch_.dims));
        const bool swap = to_right < to_left;
        const auto enter = [&](const Node& node, double gap) {
            const double reach = *std::max_element(w.reaches.begin(), w.reaches.end());
            if (gap <= reach + static_cast<double>(tree_.error(node.node))) visit(w, node);
        };
        enter(swap ? right : left, swap ? to_right : to_left);
        enter(swap ? left : right, swap ? to_left : to_right);
    }

    void look_at(Worker& w, Node leaf) const {
        const auto items = leaf_items_of(leaf.first);
        const Offset column = Offset{leaf.first} * leaf_columns_;
        const int columns = static_cast<int>((std::ssize(items) + group_columns - 1) / group_columns * group_columns);
        const Block<Value> block{panels_.data() + column * sketch_.dims, columns, sketch_.dims};
        for (std::size_t first = 0; first < w.items.size(); first += group_rows) {
            Bound bounds[group_rows];
            const std::size_t rows = std::min<std::size_t>(group_rows, w.items.size() - first);
            for (std::size_t r = 0; r < group_rows; ++r) {
                bounds[r] = r < rows ? bound(w, first + r, static_cast<double>(tree_.error(leaf.node))) : nothing();
            }
            std::fill(std::begin(w.hits.count), std::end(w.hits.count), 0);
            scan(block, column, w.rows.data() + first * static_cast<std::size_t>(sketch_.dims), bounds, w.hits);
            for (std::size_t r = 0; r < rows; ++r) {
                const auto found = std::span(w.hits.columns[r]).first(static_cast<std::size_t>(w.hits.count[r]));
                if (!found.empty()) weigh(w, first + r, tree_.begin(leaf.first), std::ssize(items), found);
            }
        }
    }

    void scan(const Block<Value>& block, Offset column, const Row* rows, const Bound* bounds, Hits& hits) const {
        if constexpr (floats) {
            if (law == Law::squares) return scan_squares(block, rows, bounds, hits);
            return scan_absolute(block, rows, bounds, hits);
        } else if constexpr (law == Law::squares) {
            scan_dots(block, starts_.data() + column, rows, bounds, hits);
        } else {
            scan_absolute(block, rows, bounds, hits);
        }
    }

    Bound bound(const Worker& w, std::size_t row, double error) const {
        const double reach = w.reaches[row] + error;
        if constexpr (floats) {
            const double most = (law == Law::squares ? reach * reach : reach) * (1 + 1e-5);
            return static_cast<float>(std::min(most, 1e38));
        } else if constexpr (law == Law::squares) {
            return least_dot(w.sums[row], reach);
        } else {
            return static_cast<std::int32_t>(std::min(reach, 1e9));
        }
    }

    static Bound nothing() {
        if constexpr (floats) {
            return -1.0F;
        } else {
            return law == Law::squares ? std::numeric_limits<std::int32_t>::max() : -1;
        }
    }

    /// Offers the columns found to the row's list.
    void weigh(Worker& w, std::size_t row, Index place, Offset items, std::span<const std::uint16_t> columns) const {
        Best& best = w.best[row];
        for (const Offset column : columns) {
            if (column >= items) continue;
            const Index at = place + static_cast<Index>(column);
            const Index item = tree_.order()[static_cast<std::size_t>(at)];
            if (item == w.items[row]) continue;
            const Index name = frame_.row_of(item);
            if (fine_) {
                const double squares = fine_squares(w, row, at);
                if (squares > w.fine_reaches[row]) continue;
                if (fine_->exact) {
                    best.offer({squares, name});
                    continue;
                }
            }
            best.offer({frame_.space().key(frame_.row_of(w.items[row]), name), name});
        }
        best.tighten();
        if (best.limit() < w.limits[row]) narrow(w, row);
    }

    double fine_squares(const Worker& w, std::size_t row, Index at) const {
        const Sketch<std::uint8_t>& sketch = fine_->sketch;
        const ByteSums mine = fine_->sums[static_cast<std::size_t>(place_of_[static_cast<std::size_t>(w.items[row])])];
        const std::int32_t product =
            dot(sketch.row(at), w.fine_rows.data() + row * static_cast<std::size_t>(sketch.dims), sketch.dims);
        const double inner = static_cast<double>(product) - 128.0 * mine.sum;
        return static_cast<double>(mine.squares) +
               static_cast<double>(fine_->sums[static_cast<std::size_t>(at)].squares) - 2 * inner;
    }

    void narrow(Worker& w, std::size_t row) const {
        const double limit = w.best[row].limit();
        const double distance = apart(limit) * (1 + 1e-12);
        w.limits[row] = limit;
        w.reaches[row] =
            sketch_.scale * distance + static_cast<double>(sketch_.errors[static_cast<std::size_t>(w.items[row])]);
        if (fine_) {
            const Index at = place_of_[static_cast<std::size_t>(w.items[row])];
            const double reach = fine_->sketch.scale * distance +
                                 static_cast<double>(fine_->sketch.errors[static_cast<std::size_t>(at)]) +
                                 static_cast<double>(fine_->error);
            w.fine_reaches[row] = reach * reach * (1 + 1e-12);
        }
    }

    device::Cpu& cpu_;
    const Frame& frame_;
    Index k_;
    std::optional<Axes> axes_;
    Sketch<Value> sketch_;
    Tree<Value> tree_;
    Index leaf_columns_ = 0;
    std::vector<Value> panels_;         ///< per leaf: leaf_columns_ columns
    std::vector<std::int32_t> starts_;  ///< per column
    std::vector<Index> place_of_;       ///< per item: where it is in the tree's order
    std::optional<Fine> fine_;
};

template <class Value, Law law>
void search_with(device::Cpu& cpu, const Frame& frame, const Census& census, std::span<const Index> queries, Index k,
                 Watch& watch, const Take& take) {
    Search<Value, law>(cpu, frame, census, k).run(queries, watch, take);
}

}  // namespace

void search_groups(device::Cpu& cpu, const Space& space, const Duplicates& groups, const Census& census,
                   std::span<const Index> queries, Index k, Watch& watch, const Take& take) {
    device::hold_blas_to_one_thread();
    const Frame frame(space, groups);
    const Index wanted = std::min(k, groups.size() - 1);
    const bool few = frame.cols() <= few_columns, sums = space.metric() == Metric::manhattan;
    const auto search =
        few ? (sums ? search_with<float, Law::absolute> : search_with<float, Law::squares>)
            : (sums ? search_with<std::uint8_t, Law::absolute> : search_with<std::uint8_t, Law::squares>);
    search(cpu, frame, census, queries, wanted, watch, take);
}

}  // namespace dunlin::neighbors
