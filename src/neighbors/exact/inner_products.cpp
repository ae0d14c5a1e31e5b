// SPDX-License-Identifier: Apache-2.0
#include <cblas.h>

#include <cmath>

#include "distance/keys.hpp"
#include "math/at.hpp"
#include "neighbors/candidate_list.hpp"
#include "neighbors/strategies.hpp"
#include "progress/cancel.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index block_queries = 64, block_items = 1024;  ///< of one matrix product

/// Largest inner products by brute force: a block of queries times a block of items is one float32 matrix product with
/// a bounded rounding error; candidates for the k largest are summed in double.
class InnerProductSearch {
    struct ProductWorkspace {
        std::vector<float> queries;   ///< block_queries x cols
        std::vector<double> lengths;  ///< of the rows of `queries`
        std::vector<float> products;  ///< block_queries x block_items
        std::vector<CandidateList> candidates;
        TopK best;
    };

    /// A row is 2^exponent times its scaled row, whose largest magnitude is in [1, 2).
    struct ScaledRow {
        int exponent;
        double length;     ///< of the scaled row
        double scale = 1;  ///< 2^(exponent - largest exponent of all)
    };

public:
    InnerProductSearch(device::Cpu& cpu, const distance::Space& space, const DistinctRows& items, Index k)
        : cpu_(cpu),
          space_(space),
          items_(items),
          k_(k),
          cols_(space.cols()),
          rows_(at(items.size()) * at(cols_)),
          scaled_(at(items.size())) {
        cpu.each(
            items.size(),
            [&](Offset item) { scaled_[at(item)] = load(static_cast<Index>(item), rows_.data() + item * cols_); }, 64);
        int most = -1000;
        for (const ScaledRow& part : scaled_) most = std::max(most, part.exponent);
        for (ScaledRow& part : scaled_) part.scale = std::ldexp(1.0, part.exponent - most);
    }

    void run(std::span<const Index> queries, SearchProgress& progress, const ResultCallback& take) const {
        std::vector<ProductWorkspace> workers(at(cpu_.threads()));
        cpu_.blocks(std::ssize(queries), block_queries, [&](Offset begin, Offset end, int worker) {
            ProductWorkspace& w = workers[at(worker)];
            const auto block = queries.subspan(at(begin), at(end - begin));
            load_queries(w, block);
            for (Index first = 0; first < items_.size(); first += block_items) {
                progress::cancellation_point();
                multiply_block(w, block, first, std::min(items_.size() - first, block_items));
            }
            for (std::size_t q = 0; q < block.size(); ++q) {
                take(begin + static_cast<Offset>(q), nearest(w, block[q], w.candidates[q]));
            }
            progress.advance(end - begin, worker);
        });
    }

private:
    [[nodiscard]] const float* row(Index item) const { return rows_.data() + Offset{item} * cols_; }

    /// Writes the scaled row of an item or a query.
    ScaledRow load(Index group, float* out) const {
        const auto values = space_.row(items_.first(group));
        float most = 0;
        for (const float value : values) most = std::max(most, std::abs(value));
        ScaledRow part{most > 0 ? std::ilogb(most) : 0, 0};
        double squares = 0;
        for (const float value : values) {
            *out = std::ldexp(value, -part.exponent);
            squares += static_cast<double>(*out) * static_cast<double>(*out);
            ++out;
        }
        part.length = std::sqrt(squares);
        return part;
    }

    void load_queries(ProductWorkspace& w, std::span<const Index> queries) const {
        w.queries.resize(at(block_queries) * at(cols_));
        w.products.resize(at(block_queries) * at(block_items));
        w.candidates.resize(at(block_queries));
        w.lengths.resize(at(block_queries));
        for (std::size_t q = 0; q < queries.size(); ++q) {
            w.lengths[q] = load(queries[q], w.queries.data() + q * at(cols_)).length;
            w.candidates[q].reset(k_);
        }
    }

    /// Multiplies with items [first, first + count). The query's own power of two does not affect the order.
    void multiply_block(ProductWorkspace& w, std::span<const Index> queries, Index first, Index count) const {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(queries.size()), count, cols_, 1.0F,
                    w.queries.data(), cols_, row(first), cols_, 0.0F, w.products.data(), block_items);
        for (std::size_t q = 0; q < queries.size(); ++q) {
            const float* products = w.products.data() + q * at(block_items);
            const double rounding = rounding_of(w.lengths[q]);
            for (Index i = 0; i < count; ++i) {
                const Index item = first + i;
                const ScaledRow& part = scaled_[at(item)];
                if (item == queries[q]) continue;
                w.candidates[q].offer(-part.scale * static_cast<double>(products[i]),
                                      part.scale * rounding * part.length, item);
            }
            w.candidates[q].shorten();
        }
    }

    /// Rounding bound of a float32 sum of products with a row of length 1, in any order of summation, including
    /// underflow.
    [[nodiscard]] double rounding_of(double length) const { return (cols_ + 16) * (0x1p-24 * length + 0x1p-120); }

    std::span<const Candidate> nearest(ProductWorkspace& w, Index query, const CandidateList& candidates) const {
        w.best.reset(k_);
        const Index own = items_.first(query);
        candidates.each([&](Index item) { w.best.offer({space_.key(own, items_.first(item)), items_.first(item)}); });
        return w.best.sorted();
    }

    device::Cpu& cpu_;
    const distance::Space& space_;
    const DistinctRows& items_;
    Index k_, cols_;
    std::vector<float> rows_;  ///< items x cols
    std::vector<ScaledRow> scaled_;
};

}  // namespace

/// Candidate lists grow by at most a block of items, unless very many keys are within rounding of the k-th.
std::uint64_t inner_product_bytes(const SearchSize& size) {
    const std::uint64_t cols = bytes(size.cols),
                        listed = bytes(std::min<Offset>(size.items, Offset{size.k} + block_items));
    const std::uint64_t worker =
        block_queries * (cols * 4 + block_items * 4 + 2 * listed * CandidateList::bytes_of_item) + TopK::bytes(size.k) +
        blas_bytes(block_queries, size.cols, block_items);
    return bytes(size.items) * (cols * sizeof(float) + 24) + size.busy(size.queries / block_queries + 1) * worker;
}

void search_inner_products(device::Cpu& cpu, const distance::Space& space, const DistinctRows& items,
                           std::span<const Index> queries, Index k, SearchProgress& progress,
                           const ResultCallback& take) {
    InnerProductSearch(cpu, space, items, k).run(queries, progress, take);
}

}  // namespace dunlin::neighbors
