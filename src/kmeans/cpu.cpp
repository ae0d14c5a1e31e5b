// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cpu.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "device/pieces.hpp"
#include "kmeans/nearest.hpp"
#include "kmeans/reassignments.hpp"
#include "numerics/ordered.hpp"

namespace dunlin::kmeans {

namespace {

/// Prefetch distance: hardware prefetchers stop at a page, which is eight tiles of two columns.
constexpr Index tiles_ahead = 8;

constexpr float always_due = -std::numeric_limits<float>::infinity();

template <class Value>
void prefetch(const Value* from, Offset count) {
    constexpr Offset line = 64 / sizeof(Value);
    for (Offset i = 0; i < count; i += line) __builtin_prefetch(from + i);
}

static_assert(tile_rows % math::fan_in == 0);

/// Number of values on the first level of the inertia's summation tree (math/ordered_sum.hpp).
std::size_t folds_of(Index rows) { return (static_cast<std::size_t>(rows) + math::fan_in - 1) / math::fan_in; }

/// The other levels of the tree.
double sum_of(device::Cpu& cpu, const std::vector<double>& folds) {
    return numerics::ordered_sum<double>(cpu, static_cast<Offset>(folds.size()),
                                         [&](Offset i) { return folds[static_cast<std::size_t>(i)]; });
}

float expiry_of_tile(const BestTwo& best, Index cols, double drift) {
    float bound;
    find_hamerly_bound(best, cols, &bound);
    return expiry_of(bound, drift);
}

std::uint64_t bytes_of_cluster_sums(Index clusters, Index cols) {
    return static_cast<std::uint64_t>(clusters) * (static_cast<std::uint64_t>(cols) + 1) * 8;
}

}  // namespace

CpuLloyd::CpuLloyd(device::Cpu& cpu, const Rows& rows, const Scales& scales, std::vector<float> centroids,
                   std::shared_ptr<Workspaces> workspaces)
    : cpu_(cpu),
      rows_(rows),
      scales_(scales),
      clusters_(static_cast<Index>(centroids.size() / static_cast<std::size_t>(rows.cols()))),
      centroids_(std::move(centroids)),
      labels_(device::in_large_pages(static_cast<std::size_t>(rows.count()), Index{-1})),
      expires_((static_cast<std::size_t>(rows.count()) + tile_rows - 1) / tile_rows, always_due),
      sums_(clusters_, rows.cols()),
      centered_(scales),
      workspaces_(std::move(workspaces)) {
    if (workspaces_) return;
    workspaces_ = std::make_shared<Workspaces>();
    for (int worker = 0; worker < cpu.threads(); ++worker) {
        workspaces_->push_back({device::AlignedBuffer<float>(static_cast<std::size_t>(rows.cols()) * tile_rows),
                                {},
                                ClusterSums(clusters_, rows.cols()),
                                {},
                                {},
                                0});
    }
}

Pass CpuLloyd::assign(bool with_inertia) {
    std::vector<double> folds;
    Pass pass;
    pass.changed = assign_with(with_inertia ? &folds : nullptr);
    if (with_inertia) pass.inertia = sum_of(cpu_, folds);
    return pass;
}

Offset CpuLloyd::assign_with(std::vector<double>* folds) {
    const Offset grain = grain_of(rows_.cols());
    if (products_suit(rows_.cols(), clusters_)) centered_.set(centroids_);
    if (bytes_suit(rows_.cols(), clusters_)) bytes_.pack(centered_, clusters_);
    for (CpuWorkspace& workspace : *workspaces_) workspace.bytes.reset();
    if (folds != nullptr) folds->resize(folds_of(rows_.count()));
    cpu_.blocks(rows_.count(), grain, [&](Offset begin, Offset end, int worker) {
        assign_block(begin, end, folds != nullptr ? folds->data() : nullptr,
                     (*workspaces_)[static_cast<std::size_t>(worker)]);
    });
    Offset changed = 0;
    for (CpuWorkspace& workspace : *workspaces_) {
        if (workspace.changed > 0) sums_.add(workspace.sums), workspace.sums.clear();
        changed += std::exchange(workspace.changed, 0);
    }
    return changed;
}

void CpuLloyd::place(std::vector<float> centroids) {
    drift_ += movement_between(centroids_, centroids, rows_.cols()).drift();
    centroids_ = std::move(centroids);
}

void CpuLloyd::fill(Offset row, Index cluster) {
    std::vector<float> scratch;
    Index& label = labels_[static_cast<std::size_t>(row)];
    sums_.move(label, cluster, rows_.at(row, row + 1, scratch), rows_.weight(row), scales_);
    label = cluster;
    std::fill(expires_.begin(), expires_.end(), always_due);
}

void CpuLloyd::fill_empty() {
    std::vector<FilledCluster> filled = fill_empty_clusters(cpu_, rows_, scales_, centroids_, labels_, sums_);
    if (!filled.empty()) std::fill(expires_.begin(), expires_.end(), always_due);
    history_.fill(std::move(filled));
}

void CpuLloyd::recall(const LloydMemory& memory) {
    history_ = memory.history;
    if (history_.previous().empty()) {
        centroids_ = memory.centroids;
        return;
    }
    centroids_ = history_.previous();
    assign_with(nullptr);
    for (const auto& [row, cluster] : history_.fills()) fill(row, static_cast<Index>(cluster));
    place(memory.centroids);
}

double CpuLloyd::move() {
    history_.move_from(centroids_);
    const Movement moved = move_to_means(centroids_, sums_, rows_, scales_);
    drift_ += moved.drift();
    return moved.squares;
}

bool CpuLloyd::knows_best() const {
    return !bytes_suit(rows_.cols(), clusters_) && !products_suit(rows_.cols(), clusters_);
}

void CpuLloyd::label_tile(Offset first, const float* x, Index rows, CpuWorkspace& workspace, Index* label) {
    const Index cols = rows_.cols();
    if (bytes_suit(cols, clusters_) && !workspace.bytes.too_coarse(clusters_)) {
        workspace.bytes.label(x, rows, centered_, bytes_, centroids_.data(), clusters_, labels_.data() + first, label);
    } else if (products_suit(cols, clusters_)) {
        nearest_by_products(x, rows, cols, centered_, centroids_.data(), clusters_, workspace.columns.data(), label);
    } else {
        nearest_of_tile(x, rows, cols, centroids_.data(), clusters_, workspace.columns.data(), label, &workspace.best);
    }
}

void CpuLloyd::assign_block(Offset begin, Offset end, double* folds, CpuWorkspace& workspace) {
    const bool with_inertia = folds != nullptr;
    const Index cols = rows_.cols();
    const float* x = rows_.at(begin, end, workspace.scratch);
    const bool fetches = cols <= 4;  // with more columns the arithmetic takes longer than the memory
    for (Offset first = begin; first < end; first += tile_rows, x += Offset{tile_rows} * cols) {
        const auto count = static_cast<Index>(std::min<Offset>(tile_rows, end - first));
        float* expires = expires_.data() + first / tile_rows;
        const Offset ahead = Offset{tiles_ahead} * tile_rows;
        if (fetches && end - first >= ahead + tile_rows && (with_inertia || is_due(expires[tiles_ahead]))) {
            prefetch(x + ahead * cols, Offset{tile_rows} * cols);
            prefetch(labels_.data() + first + ahead, tile_rows);
        }
        if (!with_inertia && !is_due(*expires)) continue;
        Index label[tile_rows];
        label_tile(first, x, count, workspace, label);
        const bool changed = apply_labels(first, x, count, label, workspace);
        if (knows_best()) *expires = changed ? always_due : expiry_of_tile(workspace.best, cols, drift_);
        if (with_inertia) find_inertia(first, x, count, label, folds);
    }
}

void CpuLloyd::find_inertia(Offset first, const float* x, Index rows, const Index* label, double* folds) const {
    const Index cols = rows_.cols();
    for (Index begin = 0; begin < rows; begin += math::fan_in) {
        double terms[math::fan_in];
        const Index end = std::min(rows, begin + math::fan_in);
        std::fill(terms + (end - begin), terms + math::fan_in, 0.0);
        for (Index r = begin; r < end; ++r) {
            const float* centroid = centroids_.data() + Offset{label[r]} * cols;
            terms[r - begin] =
                inertia_of_row(rows_.weight(first + r), squared_distance_of(x + Offset{r} * cols, centroid, cols));
        }
        folds[(first + begin) / math::fan_in] = math::fold(terms);
    }
}

double CpuLloyd::inertia() const {
    const Offset grain = grain_of(rows_.cols());
    std::vector<double> folds(folds_of(rows_.count()));
    cpu_.blocks(rows_.count(), grain, [&](Offset begin, Offset end, int) {
        std::vector<float> scratch;
        find_inertia(begin, rows_.at(begin, end, scratch), static_cast<Index>(end - begin), labels_.data() + begin,
                     folds.data());
    });
    return sum_of(cpu_, folds);
}

bool CpuLloyd::apply_labels(Offset first, const float* x, Index rows, const Index* label, CpuWorkspace& workspace) {
    Index* const own = labels_.data() + first;
    Index old[tile_rows];
    if (rows < tile_rows) std::copy_n(own, rows, std::copy_n(label, tile_rows, old) - tile_rows);
    std::uint64_t changed = 0;  // bits beyond `rows` stay 0
    find_differences(label, rows < tile_rows ? old : own, &changed);
    if (changed == 0) return false;
    const int changes = std::popcount(changed);
    workspace.changed += changes;
    if (changes >= tile_rows / 4 && rows == tile_rows && rows_.weights.empty() &&
        whole_tiles_suit(rows_.cols(), clusters_)) {
        const TileOfRows tile{workspace.columns.data(), rows_.cols(), scales_.columns.data()};
        add_tile(tile, label, 1, clusters_, workspace.sums.of(0));
        if (own[0] >= 0) add_tile(tile, own, -1, clusters_, workspace.sums.of(0));
    } else {
        for (; changed != 0; changed &= changed - 1) {
            const Index r = std::countr_zero(changed);
            workspace.sums.move(own[r], label[r], x + Offset{r} * rows_.cols(), rows_.weight(first + r), scales_);
        }
    }
    std::copy_n(label, rows, own);
    return true;
}

std::uint64_t bytes_of_lloyd_rows(Offset rows, Index cols, Index clusters) {
    const auto n = static_cast<std::uint64_t>(rows);
    return 8 * n + n / 16 + bytes_of_cluster_sums(clusters, cols) * 3;
}

std::uint64_t bytes_of_lloyd_workspaces(Index cols, Index clusters, int threads) {
    const auto each = bytes_of_cluster_sums(clusters, cols) + static_cast<std::uint64_t>(cols) * 1024;
    return each * static_cast<std::uint64_t>(threads);
}

std::uint64_t bytes_of_cpu_lloyd(const Rows& rows, Index clusters, int threads) {
    return bytes_of_lloyd_rows(rows.count(), rows.cols(), clusters) +
           bytes_of_lloyd_workspaces(rows.cols(), clusters, threads);
}

}  // namespace dunlin::kmeans
