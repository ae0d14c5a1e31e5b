// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <dunlin/types.hpp>

#include "checkpoint/archive.hpp"
#include "checkpoint/sections.hpp"

/// Content of the sections "run" and "ended" of a checkpoint. Section "loop" is the state of the loop that runs.
namespace dunlin::checkpoint {

/// Section "run": what the run is, and how far it is.
struct RunRecord {
    std::vector<std::pair<std::string, std::string>> key;
    std::string loop;  ///< the one that runs; empty: none
    Offset iteration = 0;
    std::uint8_t finished = 0;  ///< all loops have ended
};

/// Section "ended": the last states of the loops that have ended.
struct EndedLoop {
    std::string name;
    Offset iteration = 0;
    std::vector<std::byte> state;
};

template <class Archive>
void content(Archive& archive, std::pair<std::string, std::string>& entry) {
    archive(entry.first), archive(entry.second);
}
template <class Archive>
void content(Archive& archive, EndedLoop& loop) {
    archive(loop.name), archive(loop.iteration), archive(loop.state);
}

/// Elements that are no bytes, with their number before them.
template <class T>
void each_content(ArchiveWriter& archive, std::vector<T>& values) {
    archive(static_cast<std::uint64_t>(values.size()));
    for (T& value : values) content(archive, value);
}
template <class T>
void each_content(ArchiveReader& archive, std::vector<T>& values) {
    std::uint64_t count = 0;
    archive(count);
    for (std::uint64_t i = 0; i < count; ++i) content(archive, values.emplace_back());  // ends with the bytes
}

template <class Archive>
void content(Archive& archive, RunRecord& run) {
    each_content(archive, run.key), archive(run.loop), archive(run.iteration), archive(run.finished);
}

/// Reads both. Throws Damage.
inline void read_records(const Sections& sections, RunRecord& run, std::vector<EndedLoop>& ended) {
    ArchiveReader of_run(sections.of("run"), fail_for_damage);
    content(of_run, run);
    of_run.end();
    ArchiveReader of_ended(sections.of("ended"), fail_for_damage);
    each_content(of_ended, ended);
    of_ended.end();
}

}  // namespace dunlin::checkpoint
