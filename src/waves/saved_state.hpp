// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <dunlin/waves.hpp>

#include "checkpoint/archive.hpp"
#include "waves/problem.hpp"

/// The state of a simulation in a checkpoint. An engine (drive.hpp) has
///     write(archive, time)   what its later steps depend on, at the time of its last whole step
///     read(archive)          the same
namespace dunlin::waves {

/// Reads values of which there are as many as before.
inline void read_values(checkpoint::ArchiveReader& archive, std::vector<double>& values) {
    archive.finite(values, values.size(), "field");
}

/// Reads activation times of as many nodes as before.
inline void read_times(checkpoint::ArchiveReader& archive, std::vector<double>& times) {
    const std::size_t size = times.size();
    archive(times);
    archive.require(times.size() == size, "number of nodes");
    archive.require(std::none_of(times.begin(), times.end(), [](double t) { return std::isnan(t); }), "time");
}

/// Reads how often something was done.
inline void read_count(checkpoint::ArchiveReader& archive, Offset& count) {
    archive(count);
    archive.require(count >= 0, "count");
}

/// Activation times without those of a step that was cancelled.
inline void write_times(checkpoint::ArchiveWriter& archive, std::vector<double> times, double time) {
    for (double& of_node : times) {
        if (of_node > time) of_node = never;
    }
    archive(times);
}

inline void write_snapshots(checkpoint::ArchiveWriter& archive, const std::vector<Snapshot>& snapshots) {
    archive(static_cast<std::uint64_t>(snapshots.size()));
    for (const Snapshot& shot : snapshots) archive(shot.time), archive(shot.field.v), archive(shot.field.w);
}

/// times: those that are wanted.
inline void read_snapshots(checkpoint::ArchiveReader& archive, const Problem& problem, std::span<const double> times,
                           std::vector<Snapshot>& snapshots) {
    const std::size_t nodes = static_cast<std::size_t>(problem.size());
    std::uint64_t count = 0;
    archive(count);
    archive.require(count <= times.size(), "number of snapshots");
    for (std::uint64_t k = 0; k < count; ++k) {
        Snapshot& shot = snapshots.emplace_back();
        archive.finite(shot.time);
        archive.finite(shot.field.v, nodes, "number of nodes");
        archive.finite(shot.field.w, problem.recovers() ? nodes : 0, "number of nodes");
    }
}

}  // namespace dunlin::waves
