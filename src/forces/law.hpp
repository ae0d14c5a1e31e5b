#pragma once

#include "device/hd.hpp"

/// Laws of repulsion. Two points at y_i and y_j, r2 = |y_i - y_j|^2, push each other by strength(r2) * (y_i - y_j),
/// and every ordered pair i != j adds mass(r2) to the law's normaliser.
namespace dunlin::forces {

/// t-SNE: q = 1 / (1 + r2), the unnormalised Student-t similarity; the repulsive part of the gradient is
/// sum_j q^2 (y_i - y_j) / Z with Z = sum of q over all ordered pairs (van der Maaten 2014, eq. 5).
struct StudentT {
    template <class Real>
    DUNLIN_HD static Real mass(Real r2) {
        return Real(1) / (Real(1) + r2);
    }
    template <class Real>
    DUNLIN_HD static Real strength(Real r2) {
        const Real q = mass(r2);
        return q * q;
    }
};

}  // namespace dunlin::forces
