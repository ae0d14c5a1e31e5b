// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include <dunlin/types.hpp>

#include "math/at.hpp"
#include "math/hd.hpp"
#include "math/permutation.hpp"
#include "math/rng.hpp"

/// Steps of a training on arrays of floats, for `each` and `sum` of both executors: a number an item.
namespace dunlin::parametric {

/// values[i] = a normal number of this deviation.
struct DrawNormal {
    float* values;
    double deviation;
    std::uint64_t seed, draw;
    DUNLIN_HD void operator()(Offset i) const {
        values[i] = static_cast<float>(deviation * math::random_normal(seed, static_cast<std::uint64_t>(i), draw));
    }
};

/// states[i] = means[i] + a standard normal number.
struct AddNoise {
    const float* means;
    std::uint64_t seed, draw;
    float* states;
    DUNLIN_HD void operator()(Offset i) const {
        states[i] = means[i] + static_cast<float>(math::random_normal(seed, static_cast<std::uint64_t>(i), draw));
    }
};

/// out = a + factor * b.
struct AddScaled {
    const float* a;
    double factor;
    const float* b;
    float* out;
    DUNLIN_HD void operator()(Offset i) const {
        out[i] = static_cast<float>(static_cast<double>(a[i]) + factor * static_cast<double>(b[i]));
    }
};

/// direction = factor * direction - gradient; of the factor 0 whatever direction was.
struct Turn {
    float factor;
    const float* gradient;
    float* direction;
    DUNLIN_HD void operator()(Offset i) const {
        direction[i] = factor == 0 ? -gradient[i] : factor * direction[i] - gradient[i];
    }
};

/// to = keep * to + share * from.
struct Blend {
    float keep, share;
    const float* from;
    float* to;
    DUNLIN_HD void operator()(Offset i) const { to[i] = keep * to[i] + share * from[i]; }
};

/// out = factor * (a - b).
struct ScaledDifference {
    float factor;
    const float *a, *b;
    float* out;
    DUNLIN_HD void operator()(Offset i) const { out[i] = factor * (a[i] - b[i]); }
};

/// out = factor * values.
struct ScaleValues {
    float factor;
    const float* values;
    float* out;
    DUNLIN_HD void operator()(Offset i) const { out[i] = values[i] * factor; }
};

/// all[rows[b]] = outputs[b] * scale, of `dim` values each.
struct PutRows {
    const Index* rows;
    const float* outputs;
    int dim;
    float scale;
    float* all;
    DUNLIN_HD void operator()(Offset i) const { all[Offset{rows[i / dim]} * dim + i % dim] = outputs[i] * scale; }
};

struct Multiplied {
    const float *a, *b;
    DUNLIN_HD double operator()(Offset i) const { return static_cast<double>(a[i]) * static_cast<double>(b[i]); }
};

struct SquaredDifference {
    const float *a, *b;
    DUNLIN_HD double operator()(Offset i) const {
        const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        return difference * difference;
    }
};

/// A number for each row.
struct RowValue {
    const double* values;
    DUNLIN_HD double operator()(Offset i) const { return values[i]; }
};

/// p log p of a weight.
struct EntropyTerm {
    const float* weights;
    DUNLIN_HD double operator()(Offset i) const {
        const auto p = static_cast<double>(weights[i]);
        return p > 0 ? p * std::log(p) : 0.0;
    }
};

/// Adds a cell to another, as the only item.
struct AddCell {
    const double* from;
    double* to;
    DUNLIN_HD void operator()(Offset) const { *to += *from; }
};

/// rows[i] = i, or its image.
struct RowInOrder {
    Index* rows;
    DUNLIN_HD void operator()(Offset i) const { rows[i] = static_cast<Index>(i); }
};
struct PermutedRow {
    math::Permutation permutation;
    Index* rows;
    DUNLIN_HD void operator()(Offset i) const { rows[i] = permutation(static_cast<Index>(i)); }
};

/// Makes room. Buffers grow and do not shrink: a batch may have fewer rows than the one before.
template <class Exec, class Buffer>
void reserve(Exec& exec, Buffer& buffer, Offset size) {
    if (buffer.size() < at(size)) exec.resize(buffer, at(size));
}

/// The sum is in double, in an order fixed by count; the host waits for it.
template <class Exec, class Term>
double sum_of(Exec& exec, Offset count, const Term& term) {
    typename Exec::template Cell<double> sum;
    exec.sum(count, term, sum);
    return exec.read(sum);
}
template <class Exec>
double dot(Exec& exec, const float* a, const float* b, Offset count) {
    return sum_of(exec, count, Multiplied{a, b});
}

}  // namespace dunlin::parametric
