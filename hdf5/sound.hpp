// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dataset.hpp"

namespace dunlin::hdf5 {

/// Throws Error{bad_file} if the type of a dataset, its layout, its chunks or its filters cannot be, if it takes more
/// of the file than there is, or if its values are in another file; Error{out_of_memory} for a chunk. HDF5 itself
/// believes most of what a header says.
void require_sound(const File& file, const Dataset& dataset);

/// Throws Error{bad_file} for numbers of more bits than they have, for members outside their record and the like.
void require_sound_type(hid_t type, const std::string& title);

}  // namespace dunlin::hdf5
