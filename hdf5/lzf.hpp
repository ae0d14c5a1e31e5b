// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dunlin::hdf5 {

/// Makes HDF5 able to read datasets that h5py compressed with lzf, unless it is able already.
void register_lzf();

}  // namespace dunlin::hdf5
