// SPDX-License-Identifier: Apache-2.0
#include "mds/input/source.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "device/pieces.hpp"
#include "distance/features.hpp"
#include "math/at.hpp"
#include "math/vec.hpp"
#include "mds/sgd/group.hpp"
#include "progress/cancel.hpp"
#include "scores/kernels.hpp"

namespace dunlin::mds {

namespace {

using scores::panel_lanes;
using scores::panel_rows;

}  // namespace

DissimilarityKind kind_of(neighbors::Metric metric) {
    switch (metric) {
        case neighbors::Metric::euclidean:
            return DissimilarityKind::root;
        case neighbors::Metric::manhattan:
            return DissimilarityKind::sum;
        case neighbors::Metric::cosine:
        case neighbors::Metric::correlation:
            return DissimilarityKind::half;
        default:  // inner products are refused, distances by terms are a matrix where points come in
            break;
    }
    return DissimilarityKind::root;
}

Source::Source(device::Cpu& cpu, const Dissimilarities& items, const Matrix* weights, PairReads* reads)
    : on_demand_(items.on_demand()), reads_(reads), n_(items.size()), complete_(items.missing() == 0) {
    if (items.has_points()) {
        prepare(cpu, items);
    } else {
        matrix_ = items.values();
    }
    if (weights == nullptr) return;
    weights_ = weights->view();
    scale_ = scale_of(cpu, weights_);
}

WeightScale scale_of(device::Cpu& cpu, MatrixView<const float> weights) {
    const Index n = weights.rows;
    std::vector<float> most(at(n), 0.0F);
    device::Cell<math::Vec<double, 2>> sum_and_count;
    cpu.sum(
        n,
        [&](Offset i) {
            math::Vec<double, 2> sums{};
            for (Index j = 0; j < n; ++j) {
                const float w = weights(static_cast<Index>(i), j);
                if (j == i || !(w > 0)) continue;
                sums.at[0] += static_cast<double>(w);
                sums.at[1] += 1;
                most[at(i)] = std::max(most[at(i)], w);
            }
            return sums;
        },
        sum_and_count, 64);
    const auto [sum, count] = sum_and_count.value.at;
    if (!(sum > 0)) return {};
    const auto unit = static_cast<float>(count / sum);
    return {unit, unit * *std::max_element(most.begin(), most.end())};
}

void Source::prepare(device::Cpu& cpu, const Dissimilarities& items) {
    kind_ = kind_of(*items.metric());
    const distance::Features features(cpu, items.values().view(), *items.metric(), no_direction);
    cols_ = features.cols();
    if (kind_ != DissimilarityKind::half) unit_ = 1 / features.scale();
    sparse_ = std::make_unique<SparseFeatures>(cpu, features, n_);
    if (!sparse_->empty()) return;
    sparse_.reset();
    device::assign_in_pieces(rows_, at(Offset{n_} * cols_));
    device::assign_in_pieces(panels_, at((Offset{n_} + panel_lanes - 1) / panel_lanes * panel_lanes * cols_));
    cpu.each(
        n_,
        [&](Offset i) {
            float* row = rows_.data() + i * cols_;
            features.copy(static_cast<Index>(i), 0, cols_, row, 1);
            float* lane = panels_.data() + i / panel_lanes * panel_lanes * cols_ + i % panel_lanes;
            for (Index c = 0; c < cols_; ++c) lane[Offset{c} * panel_lanes] = row[c];
        },
        64);
}

void Source::materialize(device::Cpu& cpu) {
    if (kind_ == DissimilarityKind::given) return;
    constexpr Index columns = 256;
    std::vector<float> all;
    device::assign_in_pieces(all, at(Offset{n_} * n_));
    cpu.blocks(n_, panel_rows, [&](Offset begin, Offset end, int) {
        std::vector<Index> rows(at(end - begin));
        std::iota(rows.begin(), rows.end(), static_cast<Index>(begin));
        std::vector<float> part(rows.size() * columns);
        for (Index first = 0; first < n_; first += columns) {
            const Index count = std::min(columns, n_ - first);
            tile(rows, first, count, part.data(), columns);
            for (std::size_t r = 0; r < rows.size(); ++r)
                std::copy_n(part.data() + r * columns, count, all.data() + Offset{rows[r]} * n_ + first);
        }
    });
    matrix_ = Matrix(n_, n_, std::move(all));
    kind_ = DissimilarityKind::given;
    sparse_.reset();
    rows_ = {};
    panels_ = {};
}

void Source::request(device::Cpu& cpu, std::span<const Index> rows, const Run& run) const {
    if (on_demand_ != nullptr && !on_demand_->request(cpu, rows, run)) throw progress::Cancelled{};
}

const float* Source::matrix_row(Index i) const {
    return on_demand_ != nullptr ? on_demand_->row(i) : matrix_.view().data + Offset{i} * n_;
}

float Source::matrix_entry(Index i, Index j) const {
    note_reads(1);
    if (on_demand_ == nullptr) return matrix_.view()(i, j);
    if (on_demand_->is_known(i)) return on_demand_->row(i)[j];
    return on_demand_->is_known(j) ? on_demand_->row(j)[i] : std::numeric_limits<float>::quiet_NaN();
}

void Source::tile(std::span<const Index> rows, Index begin, Index count, float* out, Index stride) const {
    if (kind_ != DissimilarityKind::given) return measure(rows, begin, count, out, stride);
    note_reads(std::ssize(rows) * Offset{count});
    for (std::size_t r = 0; r < rows.size(); ++r) {
        std::copy_n(matrix_row(rows[r]) + begin, count, out + static_cast<Offset>(r) * stride);
    }
}

void Source::measure(std::span<const Index> rows, Index begin, Index count, float* out, Index stride) const {
    if (sparse_ != nullptr) {
        for (std::size_t r = 0; r < rows.size(); ++r) {
            float* row = out + static_cast<Offset>(r) * stride;
            sparse_->run(rows[r], begin, count, row);
            to_dissimilarities(row, count, kind_, unit_);
        }
        return;
    }
    const Index width = (count + panel_lanes - 1) / panel_lanes * panel_lanes;
    std::array<float, panel_rows * panel_lanes> spare;
    for (std::size_t first = 0; first < rows.size(); first += panel_rows) {
        std::array<const float*, panel_rows> x{};
        const std::size_t here = std::min<std::size_t>(panel_rows, rows.size() - first);
        for (std::size_t r = 0; r < x.size(); ++r)
            x[r] = rows_.data() + Offset{rows[first + std::min(r, here - 1)]} * cols_;
        float* block = out + static_cast<Offset>(first) * stride;
        for (std::size_t r = 0; r < here; ++r) std::fill_n(block + static_cast<Offset>(r) * stride, width, 0.0F);
        for (Index c = 0; c < width; c += panel_lanes) {
            const float* panel = panels_.data() + (Offset{begin} + c) * cols_;
            if (here == x.size()) {
                scores::panel_distances(x.data(), panel, cols_, kind_ == DissimilarityKind::sum, block + c, stride);
            } else {
                spare.fill(0);
                scores::panel_distances(x.data(), panel, cols_, kind_ == DissimilarityKind::sum, spare.data(),
                                        panel_lanes);
                for (std::size_t r = 0; r < here; ++r)
                    std::copy_n(spare.data() + r * panel_lanes, panel_lanes,
                                block + static_cast<Offset>(r) * stride + c);
            }
        }
        for (std::size_t r = 0; r < here; ++r)
            to_dissimilarities(block + static_cast<Offset>(r) * stride, width, kind_, unit_);
    }
}

void Source::group_weights(const Index* items, float* weight) const {
    for (int round = 0; round < group_rounds; ++round) {
        for (int slot = 0; slot < group_size; ++slot) {
            const int other = partner(slot, round);
            if (other < slot) continue;
            weight[pair_index(slot, round)] = this->weight(std::max(items[slot], 0), std::max(items[other], 0));
        }
    }
}

void Source::sparse_group(const Index* items, std::vector<float>& scratch, float* delta) const {
    scratch.resize(at(cols_), 0.0F);
    for (int slot = 0; slot < group_size; ++slot) {
        const Index item = std::max(items[slot], 0);
        sparse_->scatter_row(item, scratch.data());
        for (int round = 0; round < group_rounds; ++round) {
            const int other = partner(slot, round);
            if (other < slot) continue;
            delta[pair_index(slot, round)] =
                sparse_->between_scattered(item, scratch.data(), std::max(items[other], 0));
        }
        sparse_->clear_row(item, scratch.data());
    }
}

void Source::group(const Index* items, std::vector<float>& scratch, float* delta) const {
    if (kind_ != DissimilarityKind::given) {
        if (sparse_ != nullptr) {
            sparse_group(items, scratch, delta);
        } else {
            scratch.resize(at(Offset{cols_} * group_size));
            for (int slot = 0; slot < group_size; ++slot) {
                const float* row = rows_.data() + Offset{std::max(items[slot], 0)} * cols_;
                for (Index c = 0; c < cols_; ++c) scratch[at(Offset{c} * group_size + slot)] = row[c];
            }
            group_sums(scratch.data(), cols_, kind_ == DissimilarityKind::sum, delta);
        }
        to_dissimilarities(delta, group_pairs, kind_, unit_);
        if (*std::min_element(items, items + group_size) >= 0) return;
    }
    for (int round = 0; round < group_rounds; ++round) {
        for (int slot = 0; slot < group_size; ++slot) {
            const int other = partner(slot, round);
            if (other < slot) continue;
            float& pair = delta[pair_index(slot, round)];
            const bool empty = items[slot] < 0 || items[other] < 0;
            if (empty) pair = std::numeric_limits<float>::quiet_NaN();
            if (!empty && kind_ == DissimilarityKind::given) pair = matrix_entry(items[slot], items[other]);
        }
    }
}

float Source::between(Index i, Index j) const {
    if (kind_ == DissimilarityKind::given) return matrix_entry(i, j);
    const auto row = [&](Index item) { return rows_.data() + Offset{item} * cols_; };
    float sum = sparse_ != nullptr ? sparse_->between(i, j)
                                   : sum_between(row(i), row(j), cols_, kind_ == DissimilarityKind::sum);
    to_dissimilarities(&sum, 1, kind_, unit_);
    return sum;
}

}  // namespace dunlin::mds
