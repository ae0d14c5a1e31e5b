#include "neighbors/ivf.hpp"

#include <faiss/IndexFlat.h>
#include <faiss/IndexIVFFlat.h>
#include <omp.h>

#include <cmath>

#include "device/blas.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index trained_per_list = 64;
constexpr int training_rounds = 10;
constexpr Offset batch = 8192;

/// FAISS runs on as many threads as we do, and the caller's setting comes back.
class OpenMpThreads {
public:
    explicit OpenMpThreads(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
    ~OpenMpThreads() { omp_set_num_threads(before_); }
    OpenMpThreads(const OpenMpThreads&) = delete;
    OpenMpThreads& operator=(const OpenMpThreads&) = delete;

private:
    int before_;
};

class InvertedSearch {
public:
    InvertedSearch(device::Cpu& cpu, const Frame& frame, Inverted inverted)
        : cpu_(cpu),
          frame_(frame),
          quantizer_(frame.cols()),
          index_(&quantizer_, static_cast<std::size_t>(frame.cols()), static_cast<std::size_t>(inverted.lists)) {
        index_.nprobe = static_cast<std::size_t>(inverted.probes);
        index_.cp.niter = training_rounds;
        index_.cp.max_points_per_centroid = trained_per_list;
        index_.cp.min_points_per_centroid = 1;
    }

    void build(const Watch& watch) {
        train();
        for (Offset from = 0; from < frame_.items() && !watch.stopped(); from += batch) {
            const Offset count = std::min<Offset>(batch, frame_.items() - from);
            load(count, [&](Offset i) { return static_cast<Index>(from + i); });
            index_.add(count, rows_.data());
        }
    }

    /// The nearest of each query in the lists it looks at; queries that found fewer than `wanted` are returned.
    std::vector<Offset> run(std::span<const Index> queries, Index wanted, Watch& watch, const Take& take) {
        std::vector<Offset> incomplete;
        const auto found = static_cast<std::size_t>(wanted) + 1;  // the query itself is one
        std::vector<float> squares(static_cast<std::size_t>(batch) * found);
        std::vector<faiss::Index::idx_t> ids(squares.size());
        std::vector<char> complete(static_cast<std::size_t>(batch));
        for (Offset from = 0; from < std::ssize(queries) && !watch.stopped(); from += batch) {
            const Offset count = std::min<Offset>(batch, std::ssize(queries) - from);
            load(count, [&](Offset i) { return queries[static_cast<std::size_t>(from + i)]; });
            index_.search(count, rows_.data(), static_cast<faiss::Index::idx_t>(found), squares.data(), ids.data());
            cpu_.each(
                count,
                [&](Offset i) {
                    const std::span mine(ids.data() + static_cast<std::size_t>(i) * found, found);
                    complete[static_cast<std::size_t>(i)] =
                        settle(queries[static_cast<std::size_t>(from + i)], from + i, mine, wanted, take) ? 1 : 0;
                },
                64);
            for (Offset i = 0; i < count; ++i) {
                if (complete[static_cast<std::size_t>(i)] == 0) incomplete.push_back(from + i);
            }
            watch.advance(count, 0);
        }
        return incomplete;
    }

private:
    void train() {
        const Offset wanted = static_cast<Offset>(index_.nlist) * trained_per_list;
        const Offset count = std::min<Offset>(wanted, frame_.items());
        load(count, [&](Offset i) { return static_cast<Index>(i * frame_.items() / count); });
        index_.train(count, rows_.data());
    }

    template <class Item>
    void load(Offset count, const Item& item) {
        const auto cols = static_cast<std::size_t>(frame_.cols());
        rows_.resize(static_cast<std::size_t>(count) * cols);
        cpu_.each(
            count, [&](Offset i) { frame_.row(item(i), rows_.data() + static_cast<std::size_t>(i) * cols); }, 256);
    }

    /// Takes the list of one query with the distances computed anew, without itself; false if it is too short.
    bool settle(Index query, Offset q, std::span<const faiss::Index::idx_t> ids, Index wanted, const Take& take) const {
        std::vector<Candidate> list;
        for (const auto id : ids) {
            const auto item = static_cast<Index>(id);
            if (item < 0 || item == query) continue;
            const Index name = frame_.row_of(item);
            list.push_back({frame_.space().key(frame_.row_of(query), name), name});
        }
        if (std::ssize(list) < wanted) return false;
        std::sort(list.begin(), list.end());
        take(q, std::span(list).first(static_cast<std::size_t>(wanted)));
        return true;
    }

    device::Cpu& cpu_;
    const Frame& frame_;
    faiss::IndexFlatL2 quantizer_;
    faiss::IndexIVFFlat index_;
    std::vector<float> rows_;
};

}  // namespace

Inverted inverted_by_rule(Index groups, std::optional<Index> lists, std::optional<Index> probes) {
    const auto by_rule = static_cast<Index>(4 * std::sqrt(static_cast<double>(groups)));
    Inverted inverted;
    inverted.lists = std::clamp<Index>(lists.value_or(by_rule), 1, groups);
    inverted.probes = std::clamp<Index>(probes.value_or(32), 1, inverted.lists);
    return inverted;
}

void search_groups_inverted(device::Cpu& cpu, const Space& space, const Duplicates& groups, const Census& census,
                            std::span<const Index> queries, Index k, Inverted inverted, Watch& watch,
                            const Take& take) {
    device::hold_blas_to_one_thread();
    const OpenMpThreads threads(cpu.threads());
    const Frame frame(space, groups);
    InvertedSearch search(cpu, frame, inverted);
    search.build(watch);
    const Index wanted = std::min(k, groups.size() - 1);
    const std::vector<Offset> incomplete = search.run(queries, wanted, watch, take);
    if (incomplete.empty() || watch.stopped()) return;

    std::vector<Index> again;
    for (const Offset q : incomplete) again.push_back(queries[static_cast<std::size_t>(q)]);
    Watch silent(watch.stop_only(), std::ssize(again));
    search_groups(cpu, space, groups, census, again, k, silent, [&](Offset q, std::span<const Candidate> nearest) {
        take(incomplete[static_cast<std::size_t>(q)], nearest);
    });
}

}  // namespace dunlin::neighbors
