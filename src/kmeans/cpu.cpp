#include "kmeans/cpu.hpp"

#include <algorithm>
#include <utility>

#include "kmeans/nearest.hpp"

namespace dunlin::kmeans {

namespace {

/// The rows of a tile that change; without a branch, which would be guessed wrong for most of them.
Index changed_rows(const Index* label, const Index* old, Index rows, Index* changed) {
    if (std::equal(label, label + rows, old)) return 0;
    Index count = 0;
    for (Index r = 0; r < rows; ++r) {
        changed[count] = r;
        count += label[r] != old[r] ? 1 : 0;
    }
    return count;
}

}  // namespace

CpuLloyd::CpuLloyd(device::Cpu& cpu, const Rows& rows, const Scales& scales, std::vector<float> centroids)
    : cpu_(cpu),
      rows_(rows),
      scales_(scales),
      clusters_(static_cast<Index>(centroids.size() / static_cast<std::size_t>(rows.cols()))),
      centroids_(std::move(centroids)),
      labels_(static_cast<std::size_t>(rows.count()), -1),
      sums_(clusters_, rows.cols()),
      products_(scales) {
    for (int worker = 0; worker < cpu.threads(); ++worker) {
        desks_.push_back({device::AlignedBuffer<float>(static_cast<std::size_t>(rows.cols()) * tile_rows),
                          {},
                          Sums(clusters_, rows.cols()),
                          0});
    }
}

Pass CpuLloyd::assign(bool with_inertia) {
    const Offset grain = grain_of(rows_.cols());
    if (products_suit(rows_.cols(), clusters_)) products_.take(centroids_);
    std::vector<double> parts(static_cast<std::size_t>((rows_.count() + grain - 1) / grain));
    cpu_.blocks(rows_.count(), grain, [&](Offset begin, Offset end, int worker) {
        parts[static_cast<std::size_t>(begin / grain)] =
            assign_block(begin, end, with_inertia, desks_[static_cast<std::size_t>(worker)]);
    });
    Pass pass;
    for (const double part : parts) pass.inertia += part;
    for (Desk& desk : desks_) {
        if (desk.changed > 0) sums_.add(desk.sums), desk.sums.clear();
        pass.changed += std::exchange(desk.changed, 0);
    }
    return pass;
}

void CpuLloyd::label_tile(const float* x, Index rows, Desk& desk, Index* label) {
    const Index cols = rows_.cols();
    if (products_suit(cols, clusters_)) {
        nearest_by_products(x, rows, cols, products_, centroids_.data(), clusters_, desk.columns.data(), label);
    } else {
        float distance[tile_rows];
        nearest_of_tile(x, rows, cols, centroids_.data(), clusters_, desk.columns.data(), label, distance);
    }
}

double CpuLloyd::assign_block(Offset begin, Offset end, bool with_inertia, Desk& desk) {
    const Index cols = rows_.cols();
    const float* x = rows_.at(begin, end, desk.scratch);
    double inertia = 0;
    for (Offset first = begin; first < end; first += tile_rows, x += Offset{tile_rows} * cols) {
        const auto count = static_cast<Index>(std::min<Offset>(tile_rows, end - first));
        Index label[tile_rows];
        label_tile(x, count, desk, label);
        Index changed[tile_rows];
        const Index changes = changed_rows(label, labels_.data() + first, count, changed);
        for (Index i = 0; i < changes; ++i) {
            const Index r = changed[i];
            change(first + r, x + Offset{r} * cols, label[r], desk);
        }
        if (!with_inertia) continue;
        for (Index r = 0; r < count; ++r) {
            const float* centroid = centroids_.data() + Offset{label[r]} * cols;
            inertia += rows_.weight(first + r) * squared_distance_of(x + Offset{r} * cols, centroid, cols);
        }
    }
    return inertia;
}

void CpuLloyd::change(Offset row, const float* x, Index label, Desk& desk) {
    Index& old = labels_[static_cast<std::size_t>(row)];
    const double weight = rows_.weight(row);
    desk.sums.move(old, label, x, weight, scales_);
    old = label;
    ++desk.changed;
}

std::uint64_t bytes_of_cpu_lloyd(const Rows& rows, Index clusters, int threads) {
    const auto n = static_cast<std::uint64_t>(rows.count()), cols = static_cast<std::uint64_t>(rows.cols());
    const auto workers = static_cast<std::uint64_t>(threads);
    return 8 * n + static_cast<std::uint64_t>(clusters) * (cols + 1) * 8 * (workers + 2) + cols * 512 * workers;
}

}  // namespace dunlin::kmeans
