// SPDX-License-Identifier: Apache-2.0
// Compiled without fused multiply-add (cmake/kernels.cmake): the same bits on all processors.
#include "spanning/keys.hpp"

#include "device/clones.hpp"

namespace dunlin::spanning {

namespace {

struct Lanes {
    double of[leaf_points];

    [[gnu::always_inline]] Lanes& operator+=(const Lanes& other) {
        for (Index i = 0; i < leaf_points; ++i) of[i] += other.of[i];
        return *this;
    }
};

template <Norm norm>
[[gnu::always_inline]] inline Lanes column_terms(const double* column, double value) {
    Lanes lanes;
    for (Index i = 0; i < leaf_points; ++i) lanes.of[i] = key_term<norm>(column[i] - value);
    return lanes;
}

template <Norm norm>
[[gnu::always_inline]] inline void panel_keys_of(const double* panel, const double* point, Index cols, double* keys) {
    const auto term = [&](Index c) { return column_terms<norm>(panel + Offset{c} * leaf_points, point[c]); };
    Lanes sum{};
    if (cols <= 4) {  // the order of sum_of_columns
        sum = term(0);
        if (cols == 2) sum += term(1);
        if (cols > 2) sum += term(2);
        if (cols == 3) sum += term(1);
        if (cols == 4) {
            Lanes other = term(1);
            sum += (other += term(3));
        }
    } else if (cols <= most_in_order) {
        sum = sum_in_order<Lanes>(cols, term);
    } else {
        for (Index i = 0; i < leaf_points; ++i) {
            sum.of[i] = sum_of_columns(
                cols, [&](Index c) { return key_term<norm>(panel[Offset{c} * leaf_points + i] - point[c]); });
        }
    }
    for (Index i = 0; i < leaf_points; ++i) keys[i] = sum.of[i];
}

DUNLIN_CLONES void square_keys(const double* panel, const double* point, Index cols, double* keys) {
    panel_keys_of<Norm::l2>(panel, point, cols, keys);
}

DUNLIN_CLONES void absolute_keys(const double* panel, const double* point, Index cols, double* keys) {
    panel_keys_of<Norm::l1>(panel, point, cols, keys);
}

}  // namespace

double row_key(Norm norm, const double* a, const double* b, Index cols) {
    return norm == Norm::l2 ? key_of<Norm::l2>(a, b, cols) : key_of<Norm::l1>(a, b, cols);
}

void panel_keys(Norm norm, const double* panel, const double* point, Index cols, double* keys) {
    (norm == Norm::l2 ? square_keys : absolute_keys)(panel, point, cols, keys);
}

}  // namespace dunlin::spanning
