// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/sequence_files.hpp>

#include "io/bytes.hpp"

/// Readers of sequences, from the content of a file.
namespace dunlin::io {

StringFile read_strings(const Bytes& bytes, const StringOptions& options);
TrackFile read_tracks(const Bytes& bytes, const ReadOptions& options);
TrackFile read_gpx(const Bytes& bytes);
TrackFile read_track_table(const Bytes& bytes, const ReadOptions& options);

}  // namespace dunlin::io
