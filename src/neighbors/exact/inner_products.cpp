// SPDX-License-Identifier: Apache-2.0
#include <cblas.h>

#include <cmath>

#include "device/cancel.hpp"
#include "distance/keys.hpp"
#include "math/at.hpp"
#include "neighbors/candidate_list.hpp"
#include "neighbors/strategies.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index block_queries = 64, block_items = 1024;  ///< of a product

/// The largest inner products. Those of a block of queries with a block of items are one product of float32 matrices,
/// each right but for a rounding that is bounded; what may be among the k largest is summed in double.
class Products {
    struct Worker {
        std::vector<float> queries;   ///< block_queries x cols
        std::vector<float> products;  ///< block_queries x block_items
        std::vector<NearList> near;
        Best best;
    };

    /// An item's row is 2^exponent times what is multiplied, whose largest value is between 1 and 2.
    struct Part {
        int exponent;
        double length;     ///< of what is multiplied
        double scale = 1;  ///< 2^exponent, for the largest exponent of all
    };

public:
    Products(device::Cpu& cpu, const distance::Space& space, const Duplicates& items, Index k)
        : cpu_(cpu),
          space_(space),
          items_(items),
          k_(k),
          cols_(space.points().cols),
          rows_(at(items.size()) * at(cols_)),
          parts_(at(items.size())) {
        cpu.each(items.size(), [&](Offset item) { load(static_cast<Index>(item)); }, 64);
        int most = -1000;
        for (const Part& part : parts_) most = std::max(most, part.exponent);
        for (Part& part : parts_) part.scale = std::ldexp(1.0, part.exponent - most);
    }

    void run(std::span<const Index> queries, SearchProgress& progress, const Take& take) const {
        std::vector<Worker> workers(at(cpu_.threads()));
        cpu_.blocks(std::ssize(queries), block_queries, [&](Offset begin, Offset end, int worker) {
            Worker& w = workers[at(worker)];
            const auto block = queries.subspan(at(begin), at(end - begin));
            gather(w, block);
            for (Index first = 0; first < items_.size(); first += block_items) {
                device::cancellation_point();
                look_at(w, block, first, std::min(items_.size() - first, block_items));
            }
            for (std::size_t q = 0; q < block.size(); ++q) {
                take(begin + static_cast<Offset>(q), nearest(w, block[q], w.near[q]));
            }
            progress.advance(end - begin, worker);
        });
    }

private:
    [[nodiscard]] const float* row(Index item) const { return rows_.data() + Offset{item} * cols_; }

    void load(Index item) {
        const auto values = space_.points().row(items_.first(item));
        float most = 0;
        for (const float value : values) most = std::max(most, std::abs(value));
        Part part{most > 0 ? std::ilogb(most) : 0, 0};
        float* out = rows_.data() + Offset{item} * cols_;
        double squares = 0;
        for (const float value : values) {
            *out = std::ldexp(value, -part.exponent);
            squares += static_cast<double>(*out) * static_cast<double>(*out);
            ++out;
        }
        part.length = std::sqrt(squares);
        parts_[at(item)] = part;
    }

    void gather(Worker& w, std::span<const Index> queries) const {
        w.queries.resize(at(block_queries) * at(cols_));
        w.products.resize(at(block_queries) * at(block_items));
        w.near.resize(at(block_queries));
        for (std::size_t q = 0; q < queries.size(); ++q) {
            std::copy_n(row(queries[q]), cols_, w.queries.data() + q * at(cols_));
            w.near[q].reset(k_);
        }
    }

    /// Items [first, first + count). A power of two that is the query's own does not matter.
    void look_at(Worker& w, std::span<const Index> queries, Index first, Index count) const {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(queries.size()), count, cols_, 1.0F,
                    w.queries.data(), cols_, row(first), cols_, 0.0F, w.products.data(), block_items);
        for (std::size_t q = 0; q < queries.size(); ++q) {
            const float* products = w.products.data() + q * at(block_items);
            const double rounding = rounding_of(parts_[at(queries[q])].length);
            for (Index i = 0; i < count; ++i) {
                const Index item = first + i;
                const Part& part = parts_[at(item)];
                if (item == queries[q]) continue;
                w.near[q].offer(-part.scale * static_cast<double>(products[i]), part.scale * rounding * part.length,
                                item);
            }
            w.near[q].shorten();
        }
    }

    /// Of sums of products in float32 with a row of length 1, in any order, and what values too small for float32 add.
    [[nodiscard]] double rounding_of(double length) const { return (cols_ + 16) * (0x1p-24 * length + 0x1p-120); }

    std::span<const Candidate> nearest(Worker& w, Index query, const NearList& near) const {
        w.best.reset(k_);
        const Index own = items_.first(query);
        near.each([&](Index item) { w.best.offer({space_.key(own, items_.first(item)), items_.first(item)}); });
        return w.best.sorted();
    }

    device::Cpu& cpu_;
    const distance::Space& space_;
    const Duplicates& items_;
    Index k_, cols_;
    std::vector<float> rows_;  ///< items x cols
    std::vector<Part> parts_;
};

}  // namespace

/// Lists are as long as a block of items lets them become, unless very many are within their rounding of the k-th.
std::uint64_t bytes_of_products(const Size& size) {
    const std::uint64_t cols = bytes(size.cols),
                        listed = bytes(std::min<Offset>(size.items, Offset{size.k} + block_items));
    const std::uint64_t worker = block_queries * (cols * 4 + block_items * 4 + 2 * listed * NearList::bytes_of_item) +
                                 Best::bytes(size.k) + blas_bytes(block_queries, size.cols, block_items);
    return bytes(size.items) * (cols * sizeof(float) + 24) + size.busy(size.queries / block_queries + 1) * worker;
}

void search_products(device::Cpu& cpu, const distance::Space& space, const Duplicates& items,
                     std::span<const Index> queries, Index k, SearchProgress& progress, const Take& take) {
    Products(cpu, space, items, k).run(queries, progress, take);
}

}  // namespace dunlin::neighbors
