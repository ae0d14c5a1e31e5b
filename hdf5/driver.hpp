// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

namespace dunlin::hdf5 {

/// HDF5's driver of files, sec2, with a check of each global heap, which has the texts of variable length: HDF5 follows
/// the sizes in it without a look, out of its memory or for ever. The identifier stays.
hid_t checked_driver();

}  // namespace dunlin::hdf5
