#pragma once

#include <dunlin/mds.hpp>

#include "mds/source.hpp"

/// Maps from eigenvectors of squared dissimilarities. All are deterministic in the seed for any number of threads; an
/// axis whose eigenvalue is not above 0 is 0. No pair may be missing.
namespace dunlin::mds {

/// Torgerson 1952: v sqrt(lambda) of -1/2 J D^2 J. Euclidean distances of points: their principal coordinates, which
/// are the same. A matrix: exact up to 1,000 items, beyond by block Krylov iteration (Musco and Musco 2015).
Map classical(device::Cpu& cpu, const Dissimilarities& items, const Source& source, int dim);

/// de Silva and Tenenbaum 2004: classical scaling of those that are chosen, the others where their squared
/// dissimilarities to these put them.
Map landmark(device::Cpu& cpu, const Source& source, int dim, std::span<const Index> chosen, const Run& run);

/// Brandes and Pich 2007: `count` items, each as far as possible from those before it; the left singular vectors of
/// the doubly centred squared dissimilarities of all to these, scaled as if there were n of them.
Map pivot(device::Cpu& cpu, const Source& source, int dim, Index count, const Run& run);

/// The same of those that are chosen.
Map pivot(device::Cpu& cpu, const Source& source, int dim, std::span<const Index> chosen);

}  // namespace dunlin::mds
