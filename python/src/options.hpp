// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include <dunlin/options.hpp>
#include <dunlin/single_precision.hpp>

/// Conversion between Python dicts and options structs by their lists `fields`. No option is named in this folder.
namespace dunlin::python {

namespace nb = nanobind;

/// A value that cannot be an option's. Becomes dunlin.OptionError (a TypeError) or dunlin.InputError (a ValueError).
struct WrongValue {
    std::string option;
    std::string sentence;
    bool of_type = false;  ///< the type is wrong
};

/// Names of options in Python have underscores.
inline std::string python_name(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
}

inline std::string repr_of(nb::handle value) { return nb::cast<std::string>(nb::repr(value)); }

[[noreturn]] inline void fail_type(const std::string& name, nb::handle value, std::string_view wanted) {
    throw WrongValue{name, name + " is " + repr_of(value) + "; it must be " + std::string(wanted), true};
}

/// The text of a str, which UTF-8 must have.
inline std::string utf8_of(nb::handle value, const std::string& name) {
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
    if (bytes != nullptr) return {bytes, static_cast<std::size_t>(size)};
    PyErr_Clear();
    throw WrongValue{name, name + " is " + repr_of(value) + "; it must be text without lone surrogates", false};
}

template <class T>
T integer_of(nb::handle value, const std::string& name) {
    constexpr std::string_view wanted = "a whole number (int)";
    if (PyBool_Check(value.ptr()) || !PyIndex_Check(value.ptr())) fail_type(name, value, wanted);
    const nb::object number = nb::steal(PyNumber_Index(value.ptr()));
    if (!number) throw nb::python_error();
    bool fits = false;
    T result{};
    if constexpr (std::is_unsigned_v<T>) {
        const unsigned long long wide = PyLong_AsUnsignedLongLong(number.ptr());
        fits = PyErr_Occurred() == nullptr && wide <= std::numeric_limits<T>::max();
        result = static_cast<T>(wide);
    } else {
        const long long wide = PyLong_AsLongLong(number.ptr());
        fits = PyErr_Occurred() == nullptr && wide >= std::numeric_limits<T>::min() &&
               wide <= std::numeric_limits<T>::max();
        result = static_cast<T>(wide);
    }
    PyErr_Clear();
    if (!fits) {
        const std::string range =
            std::to_string(std::numeric_limits<T>::min()) + " to " + std::to_string(std::numeric_limits<T>::max());
        throw WrongValue{name, name + " is " + repr_of(value) + "; it must be a whole number from " + range, false};
    }
    return result;
}

template <class T>
T value_of(nb::handle value, const std::string& name, const Range& range = {}) {
    PyObject* const object = value.ptr();
    if constexpr (std::is_same_v<T, bool>) {
        const std::string_view type = Py_TYPE(object) == &PyBool_Type ? "bool" : nb::type_name(value.type()).c_str();
        if (type != "bool" && type != "numpy.bool" && type != "numpy.bool_") fail_type(name, value, "True or False");
        return PyObject_IsTrue(object) == 1;
    } else if constexpr (std::is_integral_v<T>) {
        return integer_of<T>(value, name);
    } else if constexpr (std::is_floating_point_v<T>) {
        if (PyBool_Check(object) || PyUnicode_Check(object)) fail_type(name, value, "a number");
        const double number = PyFloat_AsDouble(object);
        if (number == -1 && PyErr_Occurred() != nullptr) {
            PyErr_Clear();
            fail_type(name, value, "a number");
        }
        const std::string limit = std::isfinite(number) ? limit_of_precision<T>(number, range) : "";
        if (!limit.empty()) throw WrongValue{name, name + " is " + repr_of(value) + "; it must be " + limit, false};
        return static_cast<T>(number);
    } else if constexpr (Nameable<T>) {
        std::string all;
        for (const std::string_view each : names(T{})) all += (all.empty() ? "'" : ", '") + std::string(each) + "'";
        if (!PyUnicode_Check(object)) fail_type(name, value, "one of " + all);
        const std::string text = utf8_of(value, name);
        if (const auto found = value_named<T>(text)) return *found;
        throw WrongValue{name, name + " is '" + text + "'; it must be one of " + all, false};
    } else {
        if (!PyUnicode_Check(object)) fail_type(name, value, "a str");
        return utf8_of(value, name);
    }
}

/// Sets the members that `given` names; None leaves a member as it is. Throws WrongValue for a name that is not of the
/// list, so that nothing is ignored.
template <class Options>
Options options_from(const nb::dict& given, Options options = {}) {
    std::size_t used = 0;
    fields(
        [&]<class T>(const Field<T>& field) {
            const std::string name = python_name(field.name);
            if (!given.contains(name.c_str())) return;
            ++used;
            const nb::object value = given[name.c_str()];
            if (!value.is_none()) field.value = value_of<ValueOf<T>>(value, name, field.range);
        },
        options);
    if (used == nb::len(given)) return options;
    for (const auto [key, value] : given) {
        bool known = false;
        fields([&](const auto& field) { known |= python_name(field.name) == nb::cast<std::string>(key); }, options);
        if (!known) throw WrongValue{nb::cast<std::string>(key), "unknown option " + repr_of(key), true};
    }
    return options;
}

template <class T>
nb::object object_of(const T& value) {
    if constexpr (is_optional<T>) {
        return value ? object_of(*value) : nb::none();
    } else if constexpr (Nameable<T>) {
        return nb::cast(std::string(name_of(value)));
    } else if constexpr (std::is_same_v<T, float>) {
        return nb::cast(std::stod(text_of(value)));  // the shortest digits: 0.1, not 0.10000000149
    } else {
        return nb::cast(value);
    }
}

template <class Options>
nb::dict dict_of(Options options) {
    nb::dict all;
    fields([&](const auto& field) { all[python_name(field.name).c_str()] = object_of(field.value); }, options);
    return all;
}

/// The list in words, a tuple per option: name, help, values, default, readers, value as constructed, type.
template <class Options>
nb::list described_options() {
    nb::list all;
    Options options;
    fields(
        [&]<class T>(const Field<T>& field) {
            using Value = ValueOf<T>;
            const FieldText text = described(field);
            const char* type = std::is_same_v<Value, bool>       ? "bool"
                               : std::is_integral_v<Value>       ? "int"
                               : std::is_floating_point_v<Value> ? "float"
                                                                 : "str";
            nb::list words;
            if constexpr (Nameable<Value>) {
                for (const std::string_view each : names(Value{})) words.append(std::string(each));
            }
            all.append(nb::make_tuple(python_name(text.name), text.help, text.values, text.fallback, text.readers,
                                      object_of(field.value), std::string(type) + (is_optional<T> ? "?" : ""), words));
        },
        options);
    return all;
}

}  // namespace dunlin::python
