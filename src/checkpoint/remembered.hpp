// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "checkpoint/archive.hpp"
#include "device/cpu.hpp"

namespace dunlin::checkpoint {

/// A buffer or cell with a check: fits(value) must be true for each of its values.
template <class Values, class Fits>
struct Checked {
    Values& values;
    Fits fits;
};

/// State of a loop: references to buffers and cells of an executor. Their sizes do not change. read() requires that
/// floating-point numbers are finite, that values of a Checked satisfy its check, and that structures satisfy fits().
template <class Exec, class... Values>
class Remembered {
public:
    static constexpr bool on_cpu = std::is_same_v<Exec, device::Cpu>;

    explicit Remembered(Exec& exec, Values&&... values) : exec_(exec), values_(std::forward<Values>(values)...) {}

    void write(ArchiveWriter& archive) const {
        std::apply([&](const auto&... values) { (write_one(archive, values), ...); }, values_);
    }
    void read(ArchiveReader& archive) const {
        std::apply([&](auto&... values) { (read_one(archive, values, fits_of(values)), ...); }, values_);
    }

private:
    template <class Value>
    static constexpr bool is_cell = requires(Exec& exec, const Value& value) { exec.read(value); };

    /// The rule of a member that is not Checked.
    static constexpr auto fits_by_type = []<class T>(const T& value) {
        if constexpr (requires { value.fits(); }) {
            return value.fits();
        } else {
            static_assert(std::is_floating_point_v<T>, "say which values fit: fits() or Checked");
            return is_finite(value);
        }
    };
    template <class Value>
    static auto fits_of(const Value&) {
        return fits_by_type;
    }
    template <class Of, class Fits>
    static const Fits& fits_of(const Checked<Of, Fits>& checked) {
        return checked.fits;
    }

    template <class Of, class Fits>
    void write_one(ArchiveWriter& archive, const Checked<Of, Fits>& checked) const {
        write_one(archive, checked.values);
    }
    template <class Value>
    void write_one(ArchiveWriter& archive, const Value& value) const {
        if constexpr (is_cell<Value>) {
            archive(exec_.read(value));
        } else {
            archive(exec_.host(value));
        }
    }
    template <class Of, class OwnFits, class Fits>
    void read_one(ArchiveReader& archive, const Checked<Of, OwnFits>& checked, const Fits& fits) const {
        read_one(archive, checked.values, fits);
    }
    template <class Value, class Fits>
    void read_one(ArchiveReader& archive, Value& value, const Fits& fits) const {
        if constexpr (is_cell<Value>) {
            std::remove_cvref_t<decltype(exec_.read(value))> read{};
            archive(read);
            archive.require(fits(read), "state");
            exec_.set(value, read);
        } else {
            using T = std::remove_cvref_t<decltype(*value.data())>;
            std::vector<T> read;
            archive(read);
            archive.require(read.size() == value.size(), "number of values");
            archive.require(std::all_of(read.begin(), read.end(), fits), "state");
            exec_.upload(value, std::span<const T>(read));
        }
    }

    Exec& exec_;
    std::tuple<Values...> values_;
};

template <class Exec, class... Values>
Remembered(Exec&, Values&&...) -> Remembered<Exec, Values...>;

}  // namespace dunlin::checkpoint
