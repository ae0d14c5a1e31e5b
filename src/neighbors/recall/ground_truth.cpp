// SPDX-License-Identifier: Apache-2.0
#include "neighbors/recall/ground_truth.hpp"

#include <cblas.h>

#include <cmath>

#include "distance/keys.hpp"
#include "math/at.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index block_queries = 64;           ///< of one matrix product
constexpr std::size_t offered_at_once = 512;  ///< before a list is shortened

double length_of(const float* row, Index cols) { return std::sqrt(distance::inner_product(row, row, cols)); }

}  // namespace

GroundTruth::GroundTruth(const ItemTransform& transform, std::vector<Index> items, Index wanted)
    : transform_(transform),
      items_(std::move(items)),
      wanted_(wanted),
      rows_(items_.size() * at(transform.cols())),
      candidates_(items_.size()),
      nearest_(items_.size() * at(wanted)) {
    for (std::size_t q = 0; q < items_.size(); ++q) {
        float* row = rows_.data() + q * at(transform.cols());
        transform.row(items_[q], row);
        lengths_.push_back(length_of(row, transform.cols()));
        candidates_[q].reset(wanted);
    }
}

void GroundTruth::add_rows(device::Cpu& cpu, Index first, Index count, const float* rows) {
    const Index cols = transform_.cols();
    added_lengths_.resize(at(count));
    cpu.each(count, [&](Offset i) { added_lengths_[at(i)] = length_of(rows + i * cols, cols); }, 256);
    cpu.blocks(std::ssize(items_), block_queries, [&](Offset begin, Offset end, int) {
        std::vector<float> products(at(end - begin) * at(count));
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(end - begin), count, cols, 1.0F,
                    rows_.data() + begin * cols, cols, rows, cols, 0.0F, products.data(), count);
        for (Offset q = begin; q < end; ++q) {
            offer(static_cast<Index>(q), first, std::span(products).subspan(at((q - begin) * count), at(count)));
        }
    });
}

/// x - y|^2 = |x|^2 + |y|^2 - 2 x.y, up to rounding in the transform and the product.
void GroundTruth::offer(Index q, Index first, std::span<const float> products) {
    const double own = lengths_[at(q)];
    for (std::size_t i = 0; i < products.size(); ++i) {
        const Index item = first + static_cast<Index>(i);
        if (item == items_[at(q)]) continue;
        const double other = added_lengths_[i], moved = transform_.error(own) + transform_.error(other);
        const double rounding = (transform_.cols() + 16) * (0x1p-23 * own * other + 0x1p-119);
        candidates_[at(q)].offer(own * own + other * other - 2 * static_cast<double>(products[i]),
                                 rounding + 3 * moved * (own + other), item);
        if (i % offered_at_once == offered_at_once - 1) candidates_[at(q)].shorten();
    }
    candidates_[at(q)].shorten();
}

void GroundTruth::finish(device::Cpu& cpu) {
    cpu.each(
        std::ssize(items_),
        [&](Offset q) {
            TopK best(wanted_);
            const Index own = transform_.row_of(items_[at(q)]);
            candidates_[at(q)].each([&](Index item) {
                const Index row = transform_.row_of(item);
                best.offer({transform_.space().key(own, row), row});
            });
            std::ranges::copy(best.sorted(), nearest_.begin() + q * wanted_);
        },
        1);
}

std::span<const Candidate> GroundTruth::nearest(std::size_t i) const {
    return std::span(nearest_).subspan(i * at(wanted_), at(wanted_));
}

}  // namespace dunlin::neighbors
