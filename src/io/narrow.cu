// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

#include <cstring>
#include <limits>

#include "device/resident.cuh"
#include "io/narrow_on_gpu.hpp"
#include "io/narrowed_number.hpp"
#include "io/number_types.hpp"
#include "io/shift.hpp"

namespace dunlin::io {

namespace {

using device::Cuda;
using device::CudaBuffer;

using Place = unsigned long long;
constexpr Place no_place = std::numeric_limits<Place>::max();

/// The numbers of a foreign matrix; they need not be aligned.
template <class T>
struct ForeignNumbers {
    const std::byte* data;
    Offset row_stride, column_stride;

    __device__ double operator()(Offset row, Offset column) const {
        T value;
        memcpy(&value, data + row * row_stride + column * column_stride, sizeof value);
        if constexpr (std::is_same_v<T, __half>) {
            return static_cast<double>(__half2float(value));
        } else {
            return static_cast<double>(value);
        }
    }
};

/// Calls work(numbers) with the numbers in their type.
template <class Work>
void with_numbers(const ForeignMatrix& matrix, const Work& work) {
    with_number_type<__half>(matrix.type, [&]<class T>(T) {
        work(ForeignNumbers<T>{static_cast<const std::byte*>(matrix.data), matrix.row_stride, matrix.column_stride});
    });
}

template <class Numbers>
struct TakeRows {
    Numbers numbers;
    const Index* rows;
    Index cols;
    double* values;
    __device__ void operator()(Offset i) const { values[i] = numbers(rows[i / cols], i % cols); }
};

/// What NarrowNumbers finds, in device memory.
struct Found {
    Place bad = no_place;
    int visible = 0, vanished = 0;
};

template <class Numbers>
struct NarrowNumbers {
    Numbers numbers;
    const double* subtracted;  ///< null: nothing
    Index cols;
    float* out;
    Found* found;

    __device__ void operator()(Offset i) const {
        const Offset column = i % cols;
        const NarrowedNumber number =
            narrowed_number(numbers(i / cols, column), subtracted == nullptr ? 0 : subtracted[column]);
        out[i] = number.stored;
        if (!isfinite(number.stored)) atomicMin(&found->bad, static_cast<Place>(i));
        if (number.stored != 0) found->visible = 1;
        if (number.stored == 0 && number.exact != 0) found->vanished = 1;
    }
};

/// An executor on the GPU of the matrix, after the work on the caller's stream.
class ForeignReader {
public:
    explicit ForeignReader(const ForeignOnGpu& foreign) : cuda(run_on(foreign.gpu)) {
        device::require_resident(cuda, foreign.matrix.data);
        device::follow(cuda, foreign.stream);
    }

    Cuda cuda;

private:
    static Run run_on(int gpu) {
        Run run;
        run.gpus = {gpu};
        return run;
    }
};

template <class Numbers>
double number_at(Cuda& cuda, const Numbers& numbers, Index row, Index column) {
    CudaBuffer<Index> rows;
    cuda.upload(rows, std::vector<Index>{row});
    CudaBuffer<double> values(static_cast<std::size_t>(column) + 1, cuda.stream());
    cuda.each(Offset{column} + 1, TakeRows<Numbers>{numbers, rows.data(), column + 1, values.data()});
    return cuda.host(values).back();
}

}  // namespace

std::vector<double> backend::sample_on_gpu(const ForeignOnGpu& foreign, Index rows) {
    const ForeignMatrix& matrix = foreign.matrix;
    ForeignReader reader(foreign);
    Cuda& cuda = reader.cuda;
    std::vector<Index> chosen;
    for (Index i = 0; i < rows; ++i) chosen.push_back(sampled_row(i, rows, matrix.rows));
    CudaBuffer<Index> at;
    cuda.upload(at, chosen);
    const Offset count = Offset{rows} * matrix.cols;
    CudaBuffer<double> values(static_cast<std::size_t>(count), cuda.stream());
    with_numbers(matrix, [&]<class Numbers>(const Numbers& numbers) {
        cuda.each(count, TakeRows<Numbers>{numbers, at.data(), matrix.cols, values.data()});
    });
    return cuda.host(values);
}

NarrowedOnGpu backend::narrow_on_gpu(const ForeignOnGpu& foreign, const std::vector<double>& shift) {
    const ForeignMatrix& matrix = foreign.matrix;
    ForeignReader reader(foreign);
    Cuda& cuda = reader.cuda;
    const Offset count = Offset{matrix.rows} * matrix.cols;
    CudaBuffer<double> subtracted;
    cuda.upload(subtracted, shift);
    device::CudaCell<Found> cell;
    cuda.set(cell, Found{});
    const auto memory = std::static_pointer_cast<float>(
        device::memory_for_caller(cuda, static_cast<std::size_t>(count) * sizeof(float)));

    NarrowedOnGpu result{.values = {matrix.rows, matrix.cols, foreign.gpu, memory}};
    with_numbers(matrix, [&]<class Numbers>(const Numbers& numbers) {
        cuda.each(count,
                  NarrowNumbers<Numbers>{numbers, subtracted.data(), matrix.cols, memory.get(), cuda.address(cell)});
        const Found found = cuda.read(cell);
        result.visible = found.visible != 0;
        result.vanished = found.vanished != 0;
        if (found.bad == no_place) return;
        result.bad = static_cast<Offset>(found.bad);
        result.number = number_at(cuda, numbers, static_cast<Index>(result.bad / matrix.cols),
                                  static_cast<Index>(result.bad % matrix.cols));
    });
    return result;
}

}  // namespace dunlin::io
