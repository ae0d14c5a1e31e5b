// SPDX-License-Identifier: Apache-2.0
#include "kmeans/tried_numbers.hpp"

#include <span>

#include "kmeans/cluster_part.hpp"
#include "kmeans/restarts.hpp"

namespace dunlin::kmeans {

std::vector<float> with_one_more(const Result& result) {
    if (result.centroids.rows() == 0) return {};
    const MatrixView<const float> centroids = result.centroids.view();
    std::vector<float> all(centroids.data, centroids.data + centroids.size());
    const std::span<const float> first = centroids.row(0);
    all.insert(all.end(), first.begin(), first.end());
    return all;
}

Result with_empty_cluster(Result result) {
    const Index cols = result.centroids.cols();
    result.centroids = as_matrix(with_one_more(result), cols);
    result.counts.push_back(0);
    ++result.options.clusters;
    return result;
}

void write(checkpoint::ArchiveWriter& archive, const TriedNumbers& numbers) {
    const Result& best = numbers.choice.best;
    archive(static_cast<std::uint64_t>(numbers.choice.curve.size()));
    for (const Choice::Tried& tried : numbers.choice.curve) {
        // As it is in memory, but with zeros between its members: else the file would depend on what was there
        static_assert(sizeof tried == 2 * sizeof(Index) + 2 * sizeof(double));
        archive(tried.clusters), archive(Index{0}), archive(tried.inertia), archive(tried.value);
    }
    archive(best.options.clusters), write_best(archive, best);
    if (best.options.clusters != numbers.last.options.clusters) write_best(archive, numbers.last);
}

void read(checkpoint::ArchiveReader& archive, MatrixView<const float> points, Index most, const Options& options,
          const Run& run, TriedNumbers& numbers) {
    Choice& choice = numbers.choice;
    const auto rows = static_cast<std::size_t>(points.rows);
    Options now = options;
    archive(choice.curve), archive(now.clusters);
    archive.require(!choice.curve.empty() && std::ssize(choice.curve) <= most - options.clusters + 1,
                    "number of clusters");
    const Index last = options.clusters + static_cast<Index>(choice.curve.size()) - 1;
    archive.require(now.clusters >= options.clusters && now.clusters <= last, "number of clusters");
    read_best(archive, rows, now.clusters, points.cols, choice.best);
    describe_part(choice.best, points, now, run);
    numbers.last = choice.best;
    if (now.clusters == last) return;
    now.clusters = last;
    read_best(archive, rows, last, points.cols, numbers.last);
    describe_part(numbers.last, points, now, run);
}

}  // namespace dunlin::kmeans
