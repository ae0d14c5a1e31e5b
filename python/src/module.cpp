// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <filesystem>
#include <new>
#include <typeinfo>

#include <dunlin/error.hpp>

#include "bind.hpp"
#include "options.hpp"
#include "text.hpp"

namespace dunlin::python {

namespace {

const char* class_of(Fault fault) {
    switch (fault) {
        case Fault::bad_file:
            return "FileError";
        case Fault::no_device:
            return "NoDeviceError";
        case Fault::out_of_memory:
            return "OutOfMemoryError";
        case Fault::device_failure:
            return "DeviceError";
        default:
            return "InputError";
    }
}

void raise(const char* name, const std::string& sentence, const ErrorLocation& place) {
    const nb::object type = nb::module_::import_("dunlin._errors").attr(name);
    const auto number = [](Offset at) { return at < 0 ? nb::none() : nb::object(nb::cast(at)); };
    const auto text = [](const std::string& word) { return word.empty() ? nb::none() : nb::object(nb::cast(word)); };
    nb::object error = type(text_of(sentence), nb::arg("option") = text(python_name(place.option)),
                            nb::arg("file") = text(place.file), nb::arg("line") = number(place.line),
                            nb::arg("row") = number(place.row), nb::arg("column") = number(place.column));
    PyErr_SetObject(type.ptr(), error.ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const Error& error) {
        raise(class_of(error.fault()), error.what(), error.place());
    } catch (const WrongValue& wrong) {
        raise(wrong.of_type ? "OptionError" : "InputError", wrong.sentence, {.option = wrong.option});
    } catch (const std::filesystem::filesystem_error& error) {
        raise("FileError", "cannot use '" + error.path1().string() + "': " + error.code().message(), {});
    } catch (const std::bad_cast&) {  // of nanobind, where an argument is converted by hand
        raise("InputError", "an argument has a text with a lone surrogate, or a number that is too large", {});
    } catch (const std::bad_alloc&) {
        raise("OutOfMemoryError", "the system has no more memory", {});
    }
}

}  // namespace

void translate_errors(nb::module_&) { nb::register_exception_translator(translate); }

}  // namespace dunlin::python

NB_MODULE(_core, module) {
    module.attr("version") = DUNLIN_VERSION;
    dunlin::python::translate_errors(module);
    dunlin::python::bind_machine(module);
    dunlin::python::bind_device_points(module);
    dunlin::python::bind_points(module);
    dunlin::python::bind_clusters(module);
    dunlin::python::bind_names(module);
    dunlin::python::bind_embeddings(module);
    dunlin::python::bind_transform(module);
    dunlin::python::bind_parametric(module);
    dunlin::python::bind_reliability(module);
    dunlin::python::bind_shards(module);
    dunlin::python::bind_graphs(module);
    dunlin::python::bind_distances(module);
    dunlin::python::bind_scores(module);
    dunlin::python::bind_density(module);
    dunlin::python::bind_surface(module);
    dunlin::python::bind_waves(module);
    dunlin::python::bind_pages(module);
    dunlin::python::bind_files(module);
}
