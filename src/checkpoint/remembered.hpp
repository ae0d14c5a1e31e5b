// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "checkpoint/archive.hpp"
#include "device/cpu.hpp"

namespace dunlin::checkpoint {

/// Buffers and cells of an executor that are the state of a loop, by reference. Their sizes do not change.
template <class Exec, class... Values>
class Remembered {
public:
    static constexpr bool on_cpu = std::is_same_v<Exec, device::Cpu>;

    explicit Remembered(Exec& exec, Values&... values) : exec_(exec), values_(values...) {}

    void write(ArchiveWriter& archive) const {
        std::apply([&](auto&... values) { (write_one(archive, values), ...); }, values_);
    }
    void read(ArchiveReader& archive) const {
        std::apply([&](auto&... values) { (read_one(archive, values), ...); }, values_);
    }

private:
    template <class Value>
    static constexpr bool is_cell = requires(Exec& exec, const Value& value) { exec.read(value); };

    template <class Value>
    void write_one(ArchiveWriter& archive, const Value& value) const {
        if constexpr (is_cell<Value>) {
            archive(exec_.read(value));
        } else {
            archive(exec_.host(value));
        }
    }
    template <class Value>
    void read_one(ArchiveReader& archive, Value& value) const {
        if constexpr (is_cell<Value>) {
            std::remove_cvref_t<decltype(exec_.read(value))> read{};
            archive(read);
            exec_.set(value, read);
        } else {
            using T = std::remove_cvref_t<decltype(*value.data())>;
            std::vector<T> read;
            archive(read);
            archive.require(read.size() == value.size(), "number of values");
            exec_.upload(value, std::span<const T>(read));
        }
    }

    Exec& exec_;
    std::tuple<Values&...> values_;
};

}  // namespace dunlin::checkpoint
