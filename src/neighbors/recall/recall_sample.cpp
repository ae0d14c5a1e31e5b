// SPDX-License-Identifier: Apache-2.0
#include "neighbors/recall/recall_sample.hpp"

#include <algorithm>
#include <numeric>

#include "math/at.hpp"

namespace dunlin::neighbors {

namespace {

RecallSample::Ranks repeated(const std::vector<std::vector<Index>>& ranks, const std::vector<Index>& counts) {
    RecallSample::Ranks rows;
    for (std::size_t i = 0; i < counts.size(); ++i) rows.insert(rows.end(), at(counts[i]), ranks[i]);
    return rows;
}

}  // namespace

RecallSample::RecallSample(Index rows, SampleSize size, Index degree, std::uint64_t seed) : degree_(degree) {
    if (degree == 0) return;
    all_ = rows <= size.all;
    rows_ = draw_from_parts(rows, size.all, seed);
    for (Index s = 0; s < std::ssize(rows_); ++s) {  // at equal steps
        is_calibration_.push_back((s + 1) * size.calibration / size.all > s * size.calibration / size.all);
    }
}

std::vector<Index> RecallSample::test_rows() const {
    std::vector<Index> rows;
    for (std::size_t s = 0; s < rows_.size(); ++s) {
        if (all_ || !is_calibration_[s]) rows.push_back(rows_[s]);
    }
    return rows;
}

void RecallSample::set_items(std::span<const Index> item_of_row, std::span<const Index> copies) {
    std::vector<std::size_t> order(rows_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return item_of_row[a] < item_of_row[b]; });
    for (const std::size_t s : order) {
        if (items_.empty() || items_.back() != item_of_row[s]) {
            items_.push_back(item_of_row[s]);
            counts_.push_back({.copies = copies[s]});
        }
        counts_.back().calibration += all_ || is_calibration_[s] ? 1 : 0;
        counts_.back().test += all_ || !is_calibration_[s] ? 1 : 0;
    }
    limits_.resize(items_.size());
    shares_.resize(items_.size());
}

std::vector<std::size_t> RecallSample::renumber(std::span<const Index> place) {
    std::vector<std::pair<Index, std::size_t>> renamed;
    renamed.reserve(items_.size());
    for (std::size_t i = 0; i < items_.size(); ++i) renamed.push_back({place[at(items_[i])], i});
    std::sort(renamed.begin(), renamed.end());
    std::vector<std::size_t> was;
    std::vector<Counts> counts;
    std::vector<double> limits;
    for (std::size_t i = 0; i < renamed.size(); ++i) {
        items_[i] = renamed[i].first;
        was.push_back(renamed[i].second);
        counts.push_back(counts_[was.back()]);
        limits.push_back(limits_[was.back()]);
    }
    counts_ = std::move(counts);
    limits_ = std::move(limits);
    return was;
}

void RecallSample::set_truth(std::size_t i, std::span<const NearItem> nearest) {
    Offset rows = counts_[i].copies - 1;
    double limit = 0;
    for (auto near = nearest.begin(); near != nearest.end() && rows < degree_; ++near) {
        rows += near->copies;
        limit = near->key;
    }
    limits_[i] = limit * (1 + 1e-6);  // by distance, so that ties count
}

RecallSample::Ranks RecallSample::of_calibration(const std::vector<std::vector<Index>>& ranks) const {
    std::vector<Index> counts;
    counts.reserve(counts_.size());
    for (const Counts& of : counts_) counts.push_back(of.calibration);
    return repeated(ranks, counts);
}

RecallSample::Ranks RecallSample::of_test(const std::vector<std::vector<Index>>& ranks) const {
    std::vector<Index> counts;
    counts.reserve(counts_.size());
    for (const Counts& of : counts_) counts.push_back(of.test);
    return repeated(ranks, counts);
}

void RecallSample::record(std::size_t i, std::span<const NearItem> found) {
    Index listed = 0;
    each_listed(i, found, [&](Index, Index rows) { listed += rows; });
    shares_[i] = static_cast<double>(listed) / degree_;
}

Recall RecallSample::recall() const {
    std::vector<double> shares;
    for (std::size_t i = 0; i < items_.size(); ++i) shares.insert(shares.end(), at(counts_[i].test), shares_[i]);
    if (shares.empty()) return {};
    const Recall recall = recall_of(shares);
    return {recall.mean, all_ ? 0 : recall.se};
}

double share_in_all_cells(const RecallSample::Ranks& ranks, Index degree) {
    Offset found = 0;
    for (const auto& of_row : ranks) found += std::ssize(of_row);
    return static_cast<double>(found) / static_cast<double>(std::ssize(ranks) * degree);
}

Index cells_for_recall(const RecallSample& sample, const std::vector<std::vector<Index>>& ranks, Index degree,
                       Index cells, double recall) {
    const Index calibrated = least_cells(sample.of_calibration(ranks), degree, cells, recall, sample.margin());
    return least_cells(sample.of_test(ranks), degree, cells, recall, 0, calibrated);
}

RecallSample sample_items(const ItemTransform& transform, SampleSize size, Index degree, std::uint64_t seed) {
    RecallSample sample(transform.points(), size, degree, seed);
    std::vector<Index> items, copies;
    for (const Index row : sample.rows()) {
        items.push_back(transform.item_of(row));
        copies.push_back(transform.copies(items.back()));
    }
    sample.set_items(items, copies);
    return sample;
}

std::vector<NearItem> near_items(const ItemTransform& transform, std::span<const Candidate> nearest) {
    std::vector<NearItem> items;
    items.reserve(nearest.size());
    for (const Candidate& near : nearest) {
        const Index item = transform.item_of(near.row);
        items.push_back({near.key, item, transform.copies(item)});
    }
    return items;
}

void record(RecallSample& sample, const ItemTransform& transform, Index item, std::span<const Candidate> found) {
    const auto place = std::lower_bound(sample.items().begin(), sample.items().end(), item);
    if (place == sample.items().end() || *place != item) return;
    sample.record(static_cast<std::size_t>(place - sample.items().begin()), near_items(transform, found));
}

}  // namespace dunlin::neighbors
