// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::neighbors {

/// A row with its key. Ordered by key, ties by row.
struct Candidate {
    double key;
    Index row;
    [[nodiscard]] bool operator<(const Candidate& other) const {
        return key != other.key ? key < other.key : row < other.row;
    }
};

/// The k least of all candidates offered, independent of their order.
class TopK {
public:
    explicit TopK(Index k = 0) { reset(k); }

    void reset(Index k) {
        k_ = static_cast<std::size_t>(k);
        kept_.clear();
        kept_.reserve(capacity(k_));
        worst_ = {std::numeric_limits<double>::infinity(), std::numeric_limits<Index>::max()};
    }

    void offer(Candidate candidate) {
        if (!(candidate < worst_)) return;
        kept_.push_back(candidate);
        if (kept_.size() == capacity(k_)) shrink();
    }

    /// Candidates with a greater key are not among the k least.
    [[nodiscard]] double limit() const { return worst_.key; }

    /// Lowers the limit, if enough candidates have come since the last time.
    void tighten() {
        const bool first = worst_.key == std::numeric_limits<double>::infinity();
        if (kept_.size() >= (first ? k_ : k_ + k_ / 3 + 4)) shrink();
    }

    /// The k least, ascending; fewer if fewer were offered.
    [[nodiscard]] std::span<const Candidate> sorted() {
        if (kept_.size() > k_) shrink();
        std::sort(kept_.begin(), kept_.end());
        return kept_;
    }

    /// Bytes of a heap for k.
    [[nodiscard]] static std::size_t bytes(Index k) {
        return capacity(static_cast<std::size_t>(k)) * sizeof(Candidate);
    }

private:
    static std::size_t capacity(std::size_t k) { return 2 * k + 32; }

    void shrink() {
        if (k_ == 0) return kept_.clear();
        const auto last = kept_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
        std::nth_element(kept_.begin(), last, kept_.end());
        kept_.resize(k_);
        worst_ = kept_.back();
    }

    std::size_t k_ = 0;
    std::vector<Candidate> kept_;
    Candidate worst_{};
};

}  // namespace dunlin::neighbors
