// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "neighbors/candidate_list.hpp"
#include "neighbors/exact/sparse_rows.hpp"
#include "neighbors/strategies.hpp"
#include "progress/cancel.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index block_items = 2048;  ///< their sums fit the L1 cache

/// Search of sparse rows, such as documents, by an inverted index: the inner products of a query with all items (for
/// manhattan: their overlaps) are accumulated over its nonzero columns and give the keys up to a bounded rounding.
/// Candidates for the k nearest are then measured by differences.
class SparseSearch {
    struct SparseWorkspace {
        std::vector<double> dots;    ///< inner products or overlaps with the items of a block
        std::vector<Offset> passed;  ///< per entry of the query: position reached in its column
        CandidateList candidates;
        TopK best;
    };

public:
    SparseSearch(device::Cpu& cpu, const distance::Space& space, const DistinctRows& items, Index k)
        : cpu_(cpu), rows_(cpu, space, items), k_(k), terms_(static_cast<std::size_t>(items.groups())) {
        cpu.each(items.groups(), [&](Offset item) { terms_[static_cast<std::size_t>(item)] = terms_of(item); });
    }

    void run(std::span<const Index> queries, SearchProgress& progress, const ResultCallback& take) {
        std::vector<SparseWorkspace> workers(static_cast<std::size_t>(cpu_.threads()));
        cpu_.blocks(std::ssize(queries), 16, [&](Offset begin, Offset end, int worker) {
            SparseWorkspace& w = workers[static_cast<std::size_t>(worker)];
            for (Offset q = begin; q < end; ++q) {
                progress::cancellation_point();
                find(w, queries[static_cast<std::size_t>(q)]);
                take(q, w.best.sorted());
            }
            progress.advance(end - begin, worker);
        });
    }

private:
    /// Terms of a row in the key of a pair: key = square_a + square_b - 2 scale_a scale_b (dot - cols mean_a mean_b),
    /// within error_a + error_b. For inner products without the squares and the factor 2. For manhattan `square` is the
    /// sum of magnitudes and dot the overlap, without the factor 2.
    struct RowTerms {
        double square, scale, mean, error;
    };

    /// Bounds the rounding of sums of `cols` doubles plus fewer than ten operations, in the dot product and in the key
    /// from differences, by the squared norms of the rows and of their means.
    [[nodiscard]] RowTerms terms_of(Offset item) const {
        const distance::Space& space = rows_.space();
        const Index r = rows_.row_of(static_cast<Index>(item));
        const double cols = rows_.cols(), scale = space.scale(r), mean = space.mean(r);
        double squares = 0;
        for (const float value : rows_.row(static_cast<Index>(item)).values) {
            squares += by_overlap() ? std::abs(static_cast<double>(value))
                                    : static_cast<double>(value) * static_cast<double>(value);
        }
        const double size = scale * scale * (squares + cols * mean * mean);
        const double rounding = 16 * (cols + 16) * 0x1p-53;
        const double square = space.unit_rows() ? 1.0 : by_product() ? 0.0 : squares;
        return {square, scale, mean, rounding * (size + (space.unit_rows() ? 1.0 : 0.0))};
    }

    void find(SparseWorkspace& w, Index query) const {
        const SparseRows::Entries entries = rows_.row(query);
        w.passed.assign(entries.places.size(), 0);
        w.candidates.reset(k_);
        for (Index begin = 0; begin < rows_.items(); begin += block_items) {
            const Index end = std::min(rows_.items() - begin, block_items) + begin;
            multiply(w, entries, begin, end);
            offer_block(w, query, begin, end);
            w.candidates.shorten();
        }
        w.best.reset(k_);
        w.candidates.each([&](Index item) { w.best.offer({rows_.key(query, item), rows_.row_of(item)}); });
    }

    /// dots[i] = inner product (sum of x y), or overlap, of the query with item begin + i. Overlap: the sum of |x| +
    /// |y| - |x - y|, which is 0 in a column where only one is stored.
    void multiply(SparseWorkspace& w, SparseRows::Entries entries, Index begin, Index end) const {
        if (by_overlap()) {
            accumulate(w, entries, begin, end,
                       [](double x, double y) { return std::abs(x) + std::abs(y) - std::abs(x - y); });
        } else {
            accumulate(w, entries, begin, end, [](double x, double y) { return x * y; });
        }
    }

    template <class Term>
    void accumulate(SparseWorkspace& w, SparseRows::Entries entries, Index begin, Index end, const Term& term) const {
        w.dots.assign(static_cast<std::size_t>(end - begin), 0.0);
        for (std::size_t e = 0; e < entries.places.size(); ++e) {
            const SparseRows::Entries column = rows_.column(entries.places[e]);
            const auto value = static_cast<double>(entries.values[e]);
            auto at = static_cast<std::size_t>(w.passed[e]);
            for (; at < column.places.size() && column.places[at] < end; ++at) {
                w.dots[static_cast<std::size_t>(column.places[at] - begin)] +=
                    term(value, static_cast<double>(column.values[at]));
            }
            w.passed[e] = static_cast<Offset>(at);
        }
    }

    /// Offers the items of the block as candidates.
    void offer_block(SparseWorkspace& w, Index query, Index begin, Index end) const {
        const RowTerms& own = terms_[static_cast<std::size_t>(query)];
        const double factor = (by_product() || by_overlap() ? -1 : -2) * own.scale, middle = rows_.cols() * own.mean;
        for (Index item = begin; item < end; ++item) {
            if (item == query) continue;
            const RowTerms& other = terms_[static_cast<std::size_t>(item)];
            const double dot = w.dots[static_cast<std::size_t>(item - begin)] - middle * other.mean;
            w.candidates.offer(own.square + other.square + factor * other.scale * dot, own.error + other.error, item);
        }
    }

    [[nodiscard]] bool by_product() const { return rows_.space().metric() == Metric::inner_product; }
    [[nodiscard]] bool by_overlap() const { return rows_.space().metric() == Metric::manhattan; }

    device::Cpu& cpu_;
    SparseRows rows_;
    Index k_;
    std::vector<RowTerms> terms_;
};

}  // namespace

/// Candidate lists grow by at most a block of items, unless very many keys are within rounding of the k-th.
std::uint64_t sparse_bytes(const SearchSize& size, std::uint64_t nonzeros) {
    const std::uint64_t listed = bytes(std::min<Offset>(size.items, Offset{size.k} + block_items));
    const std::uint64_t worker =
        block_items * 8 + bytes(size.cols) * 8 + 2 * listed * CandidateList::bytes_of_item + TopK::bytes(size.k);
    return nonzeros * 16 + bytes(size.cols) * 16 + bytes(size.groups()) * 40 +
           size.busy(size.queries / 16 + 1) * worker;
}

void search_sparse(device::Cpu& cpu, const distance::Space& space, const DistinctRows& items,
                   std::span<const Index> queries, Index k, SearchProgress& progress, const ResultCallback& take) {
    SparseSearch(cpu, space, items, k).run(queries, progress, take);
}

}  // namespace dunlin::neighbors
