// SPDX-License-Identifier: Apache-2.0
#include "numerics/product.cuh"

#include "agree/agree.hpp"

namespace dunlin::numerics {
namespace {

struct Shape {
    Index rows, cols, inner;
};

std::vector<double> random_values(Offset size, std::uint64_t seed) {
    std::vector<double> values(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = math::random_uniform(seed, i) - 0.5;
    return values;
}

/// Entry (i, j) of the product of levels [begin, end).
double entry(const std::vector<double>& a, const std::vector<double>& b, const Shape& shape, Left left, Offset i,
             Offset j, Offset begin, Offset end) {
    double sum = 0;
    for (Offset k = begin; k < end; ++k) {
        const Offset at = left == Left::by_rows ? i * shape.inner + k : k * shape.rows + i;
        sum += a[static_cast<std::size_t>(at)] * b[static_cast<std::size_t>(k * shape.cols + j)];
    }
    return sum;
}

const std::vector<Shape> shapes{{1, 1, 1},    {3, 2, 5},     {31, 17, 33},   {128, 16, 64},
                                {200, 33, 7}, {65, 129, 40}, {130, 300, 50}, {784, 16, 784}};

TEST(ProductOnGpu, IsTheSumOfItsDefinition) {
    DUNLIN_NEEDS_GPU();
    device::Cuda cuda{dunlin::Run{}};
    for (const Shape& shape : shapes) {
        for (const Left left : {Left::by_rows, Left::by_columns}) {
            SCOPED_TRACE(testing::Message() << shape.rows << " x " << shape.cols << " x " << shape.inner);
            const auto a = random_values(Offset{shape.rows} * shape.inner, 1);
            const auto b = random_values(Offset{shape.inner} * shape.cols, 2);
            device::CudaBuffer<double> on_a, on_b, c, parts;
            cuda.upload(on_a, a);
            cuda.upload(on_b, b);
            cuda.fill(c, static_cast<std::size_t>(shape.rows) * static_cast<std::size_t>(shape.cols), -7.0);
            const ChunkedProduct<double> product{left,        shape.rows,  shape.cols, shape.inner,
                                                 on_a.data(), on_b.data(), c.data(),   shape.cols};
            multiply(cuda, product, parts);
            const std::vector<double> found = cuda.host(c);
            for (Offset i = 0; i < shape.rows; ++i) {
                for (Offset j = 0; j < shape.cols; ++j) {
                    ASSERT_NEAR(found[static_cast<std::size_t>(i * shape.cols + j)],
                                entry(a, b, shape, left, i, j, 0, shape.inner), 1e-12);
                }
            }
            multiply(cuda, product, parts);
            EXPECT_EQ(cuda.host(c), found);
        }
    }
}

TEST(ProductOnGpu, ChunksInFloatWithAStrideAndTheUpperPartOnly) {
    DUNLIN_NEEDS_GPU();
    device::Cuda cuda{dunlin::Run{}};
    for (const Shape& shape : shapes) {
        SCOPED_TRACE(testing::Message() << shape.rows << " x " << shape.cols << " x " << shape.inner);
        const auto a = random_values(Offset{shape.rows} * shape.inner, 1);
        const auto b = random_values(Offset{shape.inner} * shape.cols, 2);
        device::CudaBuffer<float> on_a, on_b, parts;
        cuda.upload(on_a, std::vector<float>(a.begin(), a.end()));
        cuda.upload(on_b, std::vector<float>(b.begin(), b.end()));
        ChunkedProduct<float> job{Left::by_columns, shape.rows, shape.cols,     shape.inner, on_a.data(),
                                  on_b.data(),      nullptr,    shape.cols + 3, 20,          true};
        const Offset size = Offset{shape.rows} * job.stride;
        cuda.fill(parts, static_cast<std::size_t>(size * job.count()), -7.0F);
        job.parts = parts.data();
        multiply_chunks(cuda, job);
        const std::vector<float> found = cuda.host(parts);
        for (Offset p = 0; p < job.count(); ++p) {
            for (Offset i = 0; i < shape.rows; ++i) {
                const auto* row = found.data() + p * size + i * job.stride;
                for (Offset j = i; j < shape.cols; ++j) {
                    const Offset end = std::min<Offset>((p + 1) * 20, shape.inner);
                    ASSERT_NEAR(row[j], entry(a, b, shape, job.left, i, j, p * 20, end), 1e-5);
                }
                for (Index j = shape.cols; j < job.stride; ++j) ASSERT_EQ(row[j], -7.0F);
            }
        }
    }
}

}  // namespace
}  // namespace dunlin::numerics
