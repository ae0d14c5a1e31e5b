#pragma once

#include <dunlin/types.hpp>

/// Inner loops over a run of dissimilarities, compiled once per generation of processors (kernels_simd.cpp).
namespace dunlin::mds {

/// How a dissimilarity follows from a sum over features: its root, half of it, itself; or it was given.
enum class Law { root, half, sum, given };

/// sums[c] becomes a dissimilarity, in the data's unit.
void to_dissimilarities(float* sums, Index count, Law law, float unit);

/// The sum over `count` features of (a - b)^2, or of |a - b|.
float sum_between(const float* a, const float* b, Index count, bool manhattan);

/// An item at a place meets a run of others, whose places are given axis by axis.
struct Meeting {
    const float* delta;         ///< to each of them; NaN: missing
    const float* weight;        ///< how much it counts; null: 1
    const float* const* other;  ///< dim axes
    const float* place;
    int dim;
    Index count;
};

/// force[c] += sum_j w_j (delta_j / d_j - 1) (place - other_j)[c], which pulls the item where stress falls; others at
/// its own place do not pull. Returns sum_j w_j (d_j - delta_j)^2. Up to 256 terms are added in float32.
double pull(const Meeting& meeting, double* force);

/// Sums over the others that are not missing, from which every stress follows, without cancellation.
struct StressSums {
    double error2 = 0;  ///< (d - delta)^2
    double d2 = 0;
    double d_error = 0;  ///< d (d - delta)
    double delta2 = 0;

    StressSums& operator+=(const StressSums& more) {
        error2 += more.error2;
        d2 += more.d2;
        d_error += more.d_error;
        delta2 += more.delta2;
        return *this;
    }
};
StressSums stress_sums(const Meeting& meeting);

/// Sum of the weights of those that are not missing.
double weight_of(const Meeting& meeting);

}  // namespace dunlin::mds
