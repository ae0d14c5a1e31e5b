// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <dunlin/kmeans.hpp>
#include <dunlin/mixture.hpp>
#include <dunlin/neighbors.hpp>

/// k-means of rows that lie in several processes or machines. The rows are divided into chunks, and a shard holds any
/// of them. A driver sends requests, every chunk answers each, and the driver adds the responses up: the result has the
/// bytes of cluster() on all rows, for any number of shards and any history of failures. Messages are self-contained: a
/// chunk's response depends on its rows and the request alone, so any process that holds the rows can give it, again or
/// for the first time. How messages travel is the caller's.
namespace dunlin::kmeans {

/// A unit of ownership: the rows [first, first + rows) of all; first is a multiple of the chunk size.
struct Chunk {
    Offset first = 0;
    Index rows = 0;
};

/// Default number of rows of a chunk: the power of two of about 64 MiB of float32, at least 1,024.
DUNLIN_API Offset chunk_rows(Index cols);

/// A request or response: version, epoch, number of the request, checksum and content, little-endian.
using Message = std::vector<std::byte>;

/// Header data of a message.
struct MessageInfo {
    std::string_view kind;    ///< "survey", "assign", ...
    std::uint64_t epoch = 0;  ///< of the driver; a resumed one has the next
    std::uint64_t step = 0;   ///< number of the request in its epoch
    Index iteration = 0;      ///< iteration of Lloyd's; 0: none
    Offset chunk = -1;        ///< the first row of the chunk that responds; -1: a request
    Index rows = 0;           ///< its rows
};

/// Throws Error{bad_input} if the message is damaged or of another version.
DUNLIN_API MessageInfo describe(std::span<const std::byte> message);

/// The chunks of one process. Labels, bounds and sums are kept between requests only to save time. All members may be
/// called from any thread, one at a time.
class DUNLIN_API Shard {
public:
    /// run: threads; device: cuda is run.gpu(), which then computes labels and D^2 weights, with the bits of the CPU.
    /// The other requests are answered by the CPU, as are all with device cpu or auto. memory: limit of the GPU's.
    /// Throws Error{no_device} if there is no such GPU.
    explicit Shard(Metric metric = Metric::euclidean, const Run& run = {});
    ~Shard();
    Shard(const Shard&) = delete;
    Shard& operator=(const Shard&) = delete;
    Shard(Shard&&) noexcept;
    Shard& operator=(Shard&&) noexcept;

    /// Adds a chunk, in place of one with the same first row. rows and weights (none, or one per row) are not copied; a
    /// GPU also has a copy. Throws Error{out_of_memory} if that does not fit.
    void add(Offset first, MatrixView<const float> rows, std::span<const float> weights = {});
    void remove(Offset first);
    [[nodiscard]] std::vector<Chunk> chunks() const;

    /// One response per chunk; only: the first rows of the chunks that respond, empty: all. Throws Error{bad_input} for
    /// a message that is no request for these rows, for a chunk that is not here, and for a request of an older epoch
    /// than the newest seen: its driver has been replaced.
    [[nodiscard]] std::vector<Message> answer(std::span<const std::byte> request, std::span<const Offset> only = {});

private:
    struct Held;
    std::unique_ptr<Held> held_;
};

/// The shards of a run, as its driver sees them.
class DUNLIN_API ShardSet {
public:
    ShardSet() = default;
    virtual ~ShardSet();
    ShardSet(const ShardSet&) = delete;
    ShardSet& operator=(const ShardSet&) = delete;
    ShardSet(ShardSet&&) = delete;
    ShardSet& operator=(ShardSet&&) = delete;

    /// The responses of all chunks, in any order. Repeated responses and those to earlier requests are ignored; two
    /// responses of a chunk that differ are an Error. A set that waits calls should_stop_waiting().
    virtual std::vector<Message> ask(const Message& request) = 0;
};

/// ShardSet::ask calls this while it waits, at least ten times a second, on its caller's thread. Repeats the progress
/// of the run and returns whether the run stops. If so, ask must return at once, with any of the responses.
DUNLIN_API bool should_stop_waiting();

/// Shards that are reached through a function. cluster() passes on what the function throws.
class DUNLIN_API CallbackShards final : public ShardSet {
public:
    explicit CallbackShards(std::function<std::vector<Message>(const Message&)> callback);
    std::vector<Message> ask(const Message& request) override;

private:
    std::function<std::vector<Message>(const Message&)> callback_;
};

/// Shards in this process, each of consecutive chunks, answering in parallel. chunk_rows 0: the default. run: of each
/// shard; its threads are divided among them.
DUNLIN_API std::unique_ptr<ShardSet> in_process(MatrixView<const float> points, std::span<const float> weights,
                                                Metric metric, int shards, Offset chunk_rows = 0, const Run& run = {});
/// Shards in this process with given borders: shard s has the chunks [borders[s], borders[s + 1]). A shard may be
/// empty.
DUNLIN_API std::unique_ptr<ShardSet> in_process(MatrixView<const float> points, std::span<const float> weights,
                                                Metric metric, const std::vector<Offset>& borders,
                                                Offset chunk_rows = 0, const Run& run = {});

/// All rows together.
struct Shape {
    Offset rows = 0;
    Index cols = 0;
    bool weighted = false;  ///< whether the chunks have weights
    Offset chunk_rows = 0;  ///< a multiple of 1,024; 0: the default
};

/// Estimates the memory in bytes of a shard that holds these rows in this number of chunks. Includes the rows and
/// weights, labels and bounds, the sums of each chunk, and the workspaces of the threads.
DUNLIN_API std::uint64_t bytes_of_shard(const Shape& held, Offset chunks, Index clusters, int threads);

/// Estimate of the GPU memory in bytes of a shard with device cuda, beside that on the host.
DUNLIN_API std::uint64_t gpu_bytes_of_shard(const Shape& held, Index clusters);

/// Arguments of a driver of shards that a call on points in memory does not have.
struct Driving {
    std::uint64_t epoch =
        1;               ///< above that of every earlier driver of these shards; a resumed run counts on from its own
    bool labels = true;  ///< false: the labels stay with the shards (labels_request)
    /// false: a run sends no request after a stop, since shards may be out of reach. It then has the centroids of its
    /// last completed iteration, or of the best run before; inertia NaN if these are the former, no labels, no counts.
    bool ask_after_stop = true;
    /// Called with the state of the run after each start, each iteration, and each number of clusters that was tried.
    std::function<void(const Message&)> on_checkpoint = {};
    std::span<const std::byte> resume = {};  ///< state from which the run continues, with the next epoch
};

/// k-means of the rows of all shards: the bytes of cluster(points, options, run, given). given has no weights; the
/// chunks have them. The centroids of a cancelled run are those of its last completed iteration, and one more
/// assignment gives its labels. Throws what cluster() throws, with row numbers among all rows; Error{bad_input} for
/// method sequential; Error{device_failure} for missing, damaged or contradictory responses.
DUNLIN_API Result cluster(ShardSet& shards, const Shape& shape, const Options& options = {}, const Run& run = {},
                          const Given& given = {}, const Driving& driving = {});

/// choose() of the rows of all shards: the bytes of choose(points, most, criterion, options, run). The silhouette asks
/// for the rows of its sample. Throws what cluster() and choose() throw; Error{bad_input} for chunks with weights. If
/// cancelled, best is as cluster() leaves it.
DUNLIN_API Choice choose(ShardSet& shards, const Shape& shape, Index most, Criterion criterion,
                         const Options& options = {}, const Run& run = {}, const Driving& driving = {});

/// Request for the labels of each chunk: its nearest of the centroids. labels_of reads the response, also that to
/// mixture::labels_request.
DUNLIN_API Message labels_request(const Shape& shape, MatrixView<const float> centroids, Metric metric,
                                  std::uint64_t epoch = 1);
DUNLIN_API std::vector<Index> labels_of(std::span<const std::byte> response);

}  // namespace dunlin::kmeans

/// Neighbors of rows that lie in several processes or machines.
namespace dunlin::neighbors {

/// Arguments of a search over shards that a search in memory does not have.
struct Driving {
    std::uint64_t epoch = 1;  ///< above that of every earlier driver of these shards
    /// If given, receives the lists, and the graph of the result stays empty. A call has the min(k, rows - 1)
    /// neighbors, nearest first, and their distances for each of the next rows, from row `first` on.
    std::function<void(Offset first, std::span<const Index> targets, std::span<const float> distances)> on_lists = {};
    Offset found = 0;  ///< with on_lists: number of first rows to skip, whose lists an earlier driver has found
};

/// The k nearest neighbors of every row of all shards: the graph of the exact search(points, options, run), to the
/// byte. A block of rows at a time is fetched from its chunk and sent to all, whose lists are merged; so all rows pass
/// through the driver, which holds no more than a block. The chunks have no weights, and the shards the metric
/// euclidean, whatever options.metric is. After a stop the graph is empty. Throws what search() and kmeans::cluster of
/// shards throw, and Error{bad_input} for an approximate search, cosine and correlation.
DUNLIN_API Result search(kmeans::ShardSet& shards, const kmeans::Shape& shape, const Options& options = {},
                         const Run& run = {}, const Driving& driving = {});

}  // namespace dunlin::neighbors

/// Mixtures of Gaussians of rows that lie in several processes or machines.
namespace dunlin::mixture {

/// The mixture of the rows of all shards: the bytes of fit(points, options, run), on processors of one architecture.
/// The chunks have no weights, and the shards the metric euclidean. Of Driving::labels and ask_after_stop: as
/// kmeans::cluster. labels_request, if given, gets the request for the labels of the components; nothing if cancelled.
/// Throws what fit() and kmeans::cluster of shards throw.
DUNLIN_API Result fit(kmeans::ShardSet& shards, const kmeans::Shape& shape, const Options& options = {},
                      const Run& run = {}, const kmeans::Driving& driving = {},
                      kmeans::Message* labels_request = nullptr);

/// Estimate of the memory in bytes of a shard that holds these rows of a run, in so many chunks.
DUNLIN_API std::uint64_t bytes_of_shard(const kmeans::Shape& held, Offset chunks, const Options& options, int threads);

}  // namespace dunlin::mixture
