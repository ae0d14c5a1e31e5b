// SPDX-License-Identifier: Apache-2.0
#include <dunlin/kmedoids.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <dunlin/check.hpp>
#include <dunlin/error.hpp>

#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/memory.hpp"
#include "kmeans/criteria.hpp"
#include "kmedoids/rows.hpp"
#include "kmedoids/start.hpp"
#include "kmedoids/swaps.hpp"
#include "math/at.hpp"
#include "mds/on_demand/landmark_rows.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"

namespace dunlin::kmedoids {

namespace {

constexpr Index most_without_sample = 20000, default_sample = 10000;
constexpr double least_decrease = 1e-12;  ///< of the inertia, relative: above the rounding of its sums in double

Options resolve(Index n, Options o) {
    options::check(o);
    if (!o.sample) o.sample = n <= most_without_sample ? n : std::max(default_sample, std::min(o.clusters, n));
    o.sample = std::min(*o.sample, n);
    if (o.clusters > *o.sample) {
        const bool sampled = *o.sample < n;
        throw Error(Fault::bad_input,
                    fmt::format("clusters is {}, but {} {} items; it must be at most that", o.clusters,
                                sampled ? "medoids are sought among" : "there are", *o.sample),
                    {.option = "clusters"});
    }
    return o;
}

std::vector<Index> sample_of(Index n, Index count, std::uint64_t seed) {
    std::vector<Index> items(at(n));
    std::iota(items.begin(), items.end(), 0);
    if (count == n) return items;
    items = mds::random_items(n, count, seed);
    std::sort(items.begin(), items.end());
    return items;
}

/// One run of the algorithm.
struct Search {
    int passes = 0;
    Offset swaps = 0;
    bool converged = false;
};

/// Tries all items in turn, until none has replaced a medoid in a whole pass. Items are tried in batches, of which
/// those after the first replacement are tried again: the result is that of one after the other.
void improve(device::Cpu& cpu, const SampleRows& rows, Medoids& medoids, int most_passes, const Run& run,
             Search& search) {
    const Offset n = rows.size(), most = Offset{32} * cpu.threads();
    std::vector<std::vector<double>> losses(at(cpu.threads()));
    std::vector<Change> changes;
    std::vector<Index> batch;
    progress::ProgressReporter reporter(run, "optimize", n);
    double inertia = medoids.inertia();
    Offset tried = 0, since_swap = 0, at_once = cpu.threads();  // tried: of this pass
    while (search.passes < most_passes && since_swap < n) {
        batch.clear();
        const Offset end = std::min({n, tried + at_once, tried + n - since_swap});
        for (Offset item = tried; item < end; ++item) batch.push_back(static_cast<Index>(item));
        changes.assign(batch.size(), {});
        cpu.blocks(std::ssize(batch), 1, [&](Offset begin, Offset, int worker) {
            const Index item = batch[at(begin)];
            if (!medoids.is_medoid(item)) changes[at(begin)] = medoids.change_by(item, losses[at(worker)]);
        });
        const auto gain = [&](const Change& change) { return change.inertia < -least_decrease * inertia; };
        const auto found = std::find_if(changes.begin(), changes.end(), gain);
        const Offset done = found == changes.end() ? std::ssize(changes) : found - changes.begin() + 1;
        tried += done;
        since_swap += done;
        if (found == changes.end()) {
            at_once = std::min(most, 2 * at_once);
        } else {
            medoids.replace(found->cluster, batch[at(done - 1)]);
            inertia = medoids.inertia();
            ++search.swaps;
            since_swap = 0;
            at_once = std::max<Offset>(cpu.threads(), at_once / 2);
        }
        if (tried == n) {
            tried = 0;
            ++search.passes;
        }
        reporter.cost(inertia);
        reporter.tick(since_swap);
    }
    search.converged = since_swap >= n;
}

/// Labels of the sample: its nearest medoids; medoids belong to themselves.
void set_labels(std::vector<Index>& labels, const std::vector<Index>& medoids) {
    for (std::size_t k = 0; k < medoids.size(); ++k) labels[at(medoids[k])] = static_cast<Index>(k);
}

/// The nearest of some rows of n entries for each item; ties to the lower number.
void assign(const std::vector<float>& rows, Result& result) {
    const std::size_t n = result.labels.size();
    result.inertia = 0;
    for (std::size_t o = 0; o < n; ++o) {
        if (o % 1024 == 0) progress::cancellation_point();
        std::size_t best = 0;
        for (std::size_t k = 1; k < result.medoids.size(); ++k) {
            if (rows[k * n + o] < rows[best * n + o]) best = k;
        }
        const float distance = rows[best * n + o];
        if (!(distance >= 0)) {
            throw Error(Fault::bad_input,
                        fmt::format("the dissimilarity of items {} and {} is missing; k-medoids needs all of them",
                                    result.medoids[best], o),
                        {.row = static_cast<Offset>(o)});
        }
        result.labels[o] = static_cast<Index>(best);
        result.inertia += static_cast<double>(distance);
    }
    set_labels(result.labels, result.medoids);
    result.counts.assign(result.medoids.size(), 0);
    for (const Index label : result.labels) ++result.counts[at(label)];
}

double mean_silhouette(device::Cpu& cpu, const SampleRows& rows, const std::vector<Index>& labels, Index clusters) {
    if (clusters < 2) return std::numeric_limits<double>::quiet_NaN();
    std::vector<Offset> sizes(at(clusters));
    for (const Index item : rows.items()) ++sizes[at(labels[at(item)])];
    device::Cell<double> total;
    cpu.sum(
        rows.size(),
        [&](Offset i) {
            std::vector<double> sums(sizes.size());
            const float* const row = rows.row(static_cast<Index>(i));
            for (std::size_t o = 0; o < rows.items().size(); ++o)
                sums[at(labels[at(rows.items()[o])])] += static_cast<double>(row[o]);
            return kmeans::silhouette_of(sums, sizes, at(labels[at(rows.items()[at(i)])]));
        },
        total, 16);
    return total.value / rows.size();
}

void check(const mds::Dissimilarities& items, const Run& run) {
    if (items.gpu()) {
        device::check(run, device::several_gpus);  // the first computes the distances
    } else {
        device::require_cpu(run, "k-medoids of other items than strings and tracks is");
    }
    if (items.missing() == 0) return;
    throw Error(Fault::bad_input,
                fmt::format("{} pairs have no dissimilarity; k-medoids needs all of them: leave out items without, or "
                            "cluster each connected component by itself",
                            items.missing()));
}

/// The medoids of the best of all runs; empty if cancelled before the first one had any.
std::vector<Index> best_medoids(device::Cpu& cpu, const SampleRows& rows, const Options& o, const Run& run,
                                Result& result) {
    std::vector<Index> best;
    double least = std::numeric_limits<double>::infinity();
    progress::Stopwatch watch;
    for (int restart = 0; restart < o.restarts; ++restart) {
        std::optional<Medoids> medoids;
        Search search;
        const bool done = progress::run_cancellable(run.stop, [&] {
            watch.lap();
            const std::uint64_t seed = run.seed + static_cast<std::uint64_t>(restart);
            medoids.emplace(cpu, rows, start_medoids(cpu, rows, o.clusters, o.start, seed, run));
            result.seconds["start"] += watch.lap();
            improve(cpu, rows, *medoids, o.iterations, run, search);
        });
        if (medoids && medoids->inertia() < least) {
            least = medoids->inertia();
            best = medoids->items();
            result.iterations = search.passes;
            result.swaps = search.swaps;
            result.stopped = search.converged ? Stopped::converged : Stopped::budget;
        }
        result.seconds["optimize"] += watch.lap();
        if (done) continue;
        result.stopped = Stopped::cancelled;
        break;
    }
    return best;
}

}  // namespace

Result cluster(const mds::Dissimilarities& items, const Options& wanted, const Run& run) {
    Result result;
    check(items, run);
    result.options = resolve(items.size(), wanted);
    const Options& o = result.options;
    device::require_memory(run, SampleRows::bytes(items, *o.sample), "k-medoids", "give a smaller sample");
    device::Cpu cpu(run);
    progress::Stopwatch watch;
    std::optional<SampleRows> rows;
    result.stopped = Stopped::cancelled;
    progress::run_cancellable(run.stop, [&] {
        rows.emplace(cpu, items, sample_of(items.size(), *o.sample, run.seed), run);
        result.seconds["distances"] = watch.lap();
    });
    if (rows) {
        const std::vector<Index> best = best_medoids(cpu, *rows, o, run, result);
        for (const Index medoid : best) result.medoids.push_back(rows->items()[at(medoid)]);
    }
    if (!result.medoids.empty()) {
        watch.lap();
        const auto label = [&] {
            result.labels.resize(at(items.size()));
            assign(rows_to_all(cpu, items, result.medoids, run), result);
            result.silhouette = mean_silhouette(cpu, *rows, result.labels, o.clusters);
        };
        if (result.stopped == Stopped::cancelled) {
            const progress::Uncancellable rest;
            Run ending = run;
            ending.stop = {};
            result.labels.resize(at(items.size()));
            assign(rows_to_all(cpu, items, result.medoids, ending), result);
            result.silhouette = std::numeric_limits<double>::quiet_NaN();
        } else if (!progress::run_cancellable(run.stop, label)) {
            result.stopped = Stopped::cancelled;
        }
        result.seconds["optimize"] += watch.lap();
    }
    result.threads = cpu.threads();
    result.engines = {{"iteration", "fasterpam", 0}};
    Run used = run;
    if (items.gpu()) used.gpus = {*items.gpu()};
    device::complete(result, items.gpu() ? Device::cuda : Device::cpu, used);
    if (items.by_callback() && result.varies_because.empty()) result.varies_because = "its distances are the caller's";
    return result;
}

}  // namespace dunlin::kmedoids
