// SPDX-License-Identifier: Apache-2.0
#pragma once

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
    const std::size_t size = values.size();
    archive(values);
    archive.require(values.size() == size, "number of nodes");
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

inline void read_snapshots(checkpoint::ArchiveReader& archive, Offset nodes, std::vector<Snapshot>& snapshots) {
    std::uint64_t count = 0;
    archive(count);
    for (std::uint64_t k = 0; k < count; ++k) {
        Snapshot& shot = snapshots.emplace_back();
        archive(shot.time), archive(shot.field.v), archive(shot.field.w);
        archive.require(std::ssize(shot.field.v) == nodes, "number of nodes");
    }
}

}  // namespace dunlin::waves
