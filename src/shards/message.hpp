// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <dunlin/shards.hpp>

#include "checkpoint/archive.hpp"
#include "kmeans/centroids.hpp"
#include "kmeans/column_statistics.hpp"

/// Messages between a driver and its shards: a header, then the fields of a request or response in a fixed order.
namespace dunlin::kmeans {

/// Question of a request. Each chunk answers with:
///   survey     the weights: their sums by block, the largest, and the first row of nonzero weight
///   measure    statistics of the columns about an origin
///   rows       the rows `ids`, if they lie in the chunk
///   weights    the weights of the rows [ids[0], ids[1])
///   spread     the largest D^2 weight for the centroids so far
///   share      the sum of the D^2 weights
///   pick       for the draws `draws`: the row at which the running sum of D^2 weights exceeds the target
///   score      for each candidate: the sum, and the largest, of the D^2 weights with it as a further centroid
///   draw       the rows of one round of k-means||
///   weigh      for each candidate: the weights of the rows nearest to it
///   assign     the nearest centroid of each row; sums, number of changed rows, inertia
///   far        the rows farthest from their centroids
///   labels     rows per cluster and, if wanted, the label of each row
///   moments    of a mixture: the moments of the rows nearest to each centroid
///   expect     of a mixture: labels or moments of the expectation step, and the log likelihood
///   nearest    for each candidate: the rows of the chunk that are nearest to it, and their keys
///   state      a checkpoint of the driver, not a request
enum class MessageKind : std::uint32_t {
    survey,
    measure,
    rows,
    weights,
    spread,
    share,
    pick,
    score,
    draw,
    weigh,
    assign,
    far,
    labels,
    moments,
    expect,
    nearest,
    state
};
constexpr std::array<std::string_view, 17> names(MessageKind) {
    return {"survey", "measure", "rows", "weights", "spread",  "share",  "pick",    "score", "draw",
            "weigh",  "assign",  "far",  "labels",  "moments", "expect", "nearest", "state"};
}

constexpr std::uint32_t message_magic = 0x484e4c44, message_version = 7;

struct MessageHeader {
    std::uint32_t magic = message_magic, version = message_version;
    MessageKind kind = MessageKind::survey;
    Index iteration = 0;
    std::uint64_t epoch = 1, step = 0;
    Offset chunk = -1, rows = 0;
    std::uint64_t checksum = 0;  ///< of all other bytes
};
static_assert(sizeof(MessageHeader) == 56 && std::endian::native == std::endian::little);

/// A target of `pick` for one chunk. chunk: first row of the chunk.
struct DrawTarget {
    Offset chunk;
    Sum target;
};

struct ShardRequest {
    MessageHeader header;
    Metric metric = Metric::euclidean;
    Offset rows = 0;  ///< of all chunks
    Index cols = 0;
    Index level = 0;             ///< sums over blocks of rows are folded by 32^level
    std::uint8_t weighted = 0;   ///< whether the chunks have weights
    std::uint8_t wanted = 0;     ///< assign: whether to sum the inertia. labels, expect: whether to send labels
    std::vector<double> origin;  ///< measure
    Scales scales;
    std::vector<float> previous;       ///< assign: the centroids of the iteration before; empty: none
    std::vector<FilledCluster> fills;  ///< assign: rows moved into empty clusters since that iteration
    std::vector<float> centroids;      ///< the centroids, or those chosen so far
    std::vector<float> candidates;     ///< score: candidate centroids. nearest: query rows
    neighbors::Metric search = neighbors::Metric::euclidean;  ///< nearest
    std::vector<Offset> ids;                                  ///< rows, weights
    std::vector<DrawTarget> draws;                            ///< pick
    std::vector<Sum> sums;                                    ///< far: weights of the clusters
    double scale = 1;       ///< of D^2 weights (share, pick, score, draw) or of weights (weigh)
    Sum sum = 0;            ///< draw: sum of the D^2 weights of all chunks
    double draw_count = 0;  ///< draw: expected number of rows, of all chunks together
    std::uint64_t seed = 0,
                  count = 0;  ///< draw: the seed, and the round as count. Other kinds: the number of
    ///< rows (far), of components (expect), of neighbors (nearest)
    mixture::Covariance covariance = mixture::Covariance::diagonal;  ///< moments, expect
    std::uint8_t moments = 0;                                        ///< expect: whether they are wanted
    Offset node = 0;                                                 ///< moments, expect: rows of each sum
    std::vector<double> components;                                  ///< expect: shards/components.hpp
};

struct ShardResponse {
    MessageHeader header;
    BadNumber bad;                        ///< survey, measure: the first number that cannot be used
    double most = 0;                      ///< survey: largest weight; spread: largest D^2 weight
    Offset changed = 0;                   ///< assign
    std::vector<double> parts;            ///< sums over blocks: of weights, of inertia, of an expectation step
                                          ///< (shards/components.hpp); score: largest D^2 weights; nearest: keys
    std::vector<ColumnStatistics> stats;  ///< measure: nodes x cols
    std::vector<Sum> sums;                ///< share, score, weigh, assign (clusters x (cols + 1)), labels (rows)
    std::vector<Offset> ids;              ///< row numbers of `values`. nearest: neighbors
    std::vector<float> values;            ///< coordinates; weights
    std::vector<FarRow> far;
    std::vector<Index> labels;
};

template <class Archive>
void content(Archive& archive, Scales& s) {
    archive(s.columns), archive(s.weights), archive(s.means), archive(s.most), archive(s.variance);
}
template <class Archive>
void content(Archive& archive, ShardRequest& r) {
    archive(r.metric), archive(r.rows), archive(r.cols), archive(r.level), archive(r.weighted), archive(r.wanted);
    archive(r.origin), content(archive, r.scales), archive(r.previous), archive(r.fills), archive(r.centroids);
    archive(r.candidates), archive(r.search), archive(r.ids), archive(r.draws), archive(r.sums), archive(r.scale),
        archive(r.sum);
    archive(r.draw_count), archive(r.seed), archive(r.count);
    archive(r.covariance), archive(r.moments), archive(r.node), archive(r.components);
}
template <class Archive>
void content(Archive& archive, ShardResponse& r) {
    archive(r.bad.row), archive(r.bad.column), archive(r.bad.number), archive(r.most), archive(r.changed);
    archive(r.parts), archive(r.stats), archive(r.sums), archive(r.ids), archive(r.values), archive(r.far);
    archive(r.labels);
}

/// Reads the header of a message. Throws Error{bad_input} if the bytes have changed since seal().
MessageHeader header_of(std::span<const std::byte> message);
void seal(Message& message);
[[noreturn]] void fail_for_message(const std::string& why);

template <class Content>
Message encoded(Content& content_of_message) {
    checkpoint::MemoryWriter writer;
    writer(content_of_message.header);
    content(writer, content_of_message);
    seal(writer.bytes());
    return std::move(writer.bytes());
}

template <class Content>
Content decoded(std::span<const std::byte> message) {
    Content result;
    result.header = header_of(message);
    checkpoint::ArchiveReader reader(message.subspan(sizeof(MessageHeader)), fail_for_message);
    content(reader, result);
    reader.end();
    return result;
}

}  // namespace dunlin::kmeans
