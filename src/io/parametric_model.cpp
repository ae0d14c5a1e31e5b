// SPDX-License-Identifier: Apache-2.0
#include "io/parametric_model.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "io/fail.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/output.hpp"
#include "io/run_reader.hpp"
#include "io/zip.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

using parametric::Activation, parametric::Layer, parametric::Model;

constexpr std::int64_t version_with_prototypes = 2, version_without = 1;
constexpr std::uint64_t most_axes = 3;  ///< of prototypes
constexpr std::array<std::string_view, 1> formats{".npz"};
constexpr std::size_t most_layers = 64;
constexpr std::int64_t most_units = 100'000'000;

template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string numbered(const char* name, std::size_t layer) { return name + std::to_string(layer + 1); }

/// An array of the archive of this shape.
class ModelArray {
public:
    ModelArray(const Npz& archive, const Bytes& file, const std::string& name, const std::vector<std::uint64_t>& shape)
        : content_(content_of(archive, file, name)), array_(parse_npy(content_)) {
        if (array_.is_text() || array_.fortran || array_.shape != shape)
            bad_file("'{}' has another shape than its model; train it again", content_.name());
    }

    template <class T>
    [[nodiscard]] std::vector<T> numbers() const {
        std::vector<T> values(array_.count());
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i % 65536 == 0) progress::cancellation_point();
            values[i] = static_cast<T>(array_.number(i));
            if (!std::isfinite(values[i]))
                bad_file("'{}' has the number {}; train the model again", content_.name(), array_.number(i));
        }
        return values;
    }
    [[nodiscard]] std::string text() const {
        std::string text(array_.count(), ' ');
        for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(array_.number(i));
        return text;
    }

private:
    static Bytes content_of(const Npz& archive, const Bytes& file, const std::string& name) {
        if (!archive.contains(name)) bad_file("'{}' has no '{}'; it is no model of dunlin train", file.name(), name);
        return archive.array(name);
    }

    Bytes content_;
    Array array_;
};

/// The whole numbers of 'parametric_model': version, activation, then the widths from the input to the output.
std::vector<std::int64_t> sizes_of(const Npz& archive, const Bytes& file) {
    if (!archive.contains("parametric_model"))
        bad_file("'{}' has no 'parametric_model'; it is no model of dunlin train", file.name());
    const Bytes content = archive.array("parametric_model");
    const Array array = parse_npy(content);
    if (array.kind != 'i' || array.shape.size() != 1 || array.count() < 1 || array.count() > most_layers + 3)
        bad_file("'{}' is no list of the sizes of a model; train it again", content.name());
    std::vector<std::int64_t> sizes(array.count());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const double number = array.number(i);
        if (!(number >= 0 && number <= static_cast<double>(most_units)))
            bad_file("'{}' has the size {}; it must be from 0 to {}; train the model again", content.name(), number,
                     most_units);
        sizes[i] = static_cast<std::int64_t>(number);
    }
    if (sizes[0] != version_with_prototypes && sizes[0] != version_without) {
        bad_file("'{}' is a model of version {}, not {} or {}; train it again", file.name(), sizes[0], version_without,
                 version_with_prototypes);
    }
    const bool has_activation = sizes.size() >= 4 && sizes[1] < static_cast<std::int64_t>(names(Activation{}).size());
    if (!has_activation) bad_file("'{}' has no activation and layers; train the model again", file.name());
    for (std::size_t i = 2; i < sizes.size(); ++i) {
        if (sizes[i] == 0) bad_file("'{}' has a layer of no units; train the model again", file.name());
    }
    return sizes;
}

/// 'prototypes', a row for each output of the last layer.
std::vector<float> prototypes_of(const Npz& archive, const Bytes& file, std::uint64_t outputs) {
    if (!archive.contains("prototypes")) bad_file("'{}' has no 'prototypes'; train the model again", file.name());
    const Bytes content = archive.array("prototypes");
    const std::vector<std::uint64_t> shape = parse_npy(content).shape;
    if (shape.size() != 2 || shape[1] < 1 || shape[1] > most_axes)
        bad_file("'{}' must have a row of 1 to {} coordinates for each prototype; train the model again",
                 content.name(), most_axes);
    return ModelArray(archive, file, "prototypes", {outputs, shape[1]}).numbers<float>();
}

}  // namespace

Model parse_parametric_model(const Bytes& file) {
    const Npz archive(file);
    const std::vector<std::int64_t> sizes = sizes_of(archive, file);
    const auto width = [&](std::size_t layer) { return static_cast<std::uint64_t>(sizes[layer + 2]); };
    Model model;
    model.activation = static_cast<Activation>(sizes[1]);
    model.shift = ModelArray(archive, file, "shift", {width(0)}).numbers<double>();
    model.scale = ModelArray(archive, file, "scale", {1}).numbers<double>().front();
    if (archive.contains("offset")) model.offset = ModelArray(archive, file, "offset", {width(0)}).numbers<double>();
    for (std::size_t l = 0; l + 3 < sizes.size(); ++l) {
        Layer layer{static_cast<Index>(width(l)), static_cast<Index>(width(l + 1)), {}, {}};
        layer.weights = ModelArray(archive, file, numbered("weights_", l), {width(l), width(l + 1)}).numbers<float>();
        layer.biases = ModelArray(archive, file, numbered("biases_", l), {width(l + 1)}).numbers<float>();
        model.layers.push_back(std::move(layer));
    }
    if (sizes[0] == version_with_prototypes)
        model.prototypes = prototypes_of(archive, file, width(model.layers.size()));
    if (archive.contains("columns")) model.columns = archive.texts("columns");
    if (!model.columns.empty() && model.columns.size() != model.shift.size())
        bad_file("'{}' names {} columns of {}; train the model again", file.name(), model.columns.size(),
                 model.shift.size());
    if (archive.contains("made_by")) {
        const Bytes content = archive.array("made_by");
        model.made_by = ModelArray(archive, file, "made_by", parse_npy(content).shape).text();
    }
    return model;
}

void write_parametric_model(const std::filesystem::path& path, const Model& model) {
    format_of(path, "a model is", formats);
    Output out(path);
    ZipOutput zip(out);
    const std::int64_t version = model.prototypes.empty() ? version_without : version_with_prototypes;
    std::vector<std::int64_t> sizes{version, static_cast<std::int64_t>(model.activation), model.cols()};
    for (const Layer& layer : model.layers) sizes.push_back(layer.outputs);
    const std::vector<double> scale{model.scale};
    zip.add("parametric_model.npy", npy_header("<i8", {sizes.size()}), bytes_of(sizes));
    zip.add("shift.npy", npy_header("<f8", {model.shift.size()}), bytes_of(model.shift));
    if (!model.offset.empty()) zip.add("offset.npy", npy_header("<f8", {model.offset.size()}), bytes_of(model.offset));
    zip.add("scale.npy", npy_header("<f8", {1}), bytes_of(scale));
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
        const Layer& layer = model.layers[l];
        const auto inputs = static_cast<std::uint64_t>(layer.inputs),
                   outputs = static_cast<std::uint64_t>(layer.outputs);
        zip.add(numbered("weights_", l) + ".npy", npy_header("<f4", {inputs, outputs}), bytes_of(layer.weights));
        zip.add(numbered("biases_", l) + ".npy", npy_header("<f4", {outputs}), bytes_of(layer.biases));
    }
    if (!model.prototypes.empty()) {
        const auto prototypes = static_cast<std::uint64_t>(model.layers.back().outputs);
        zip.add("prototypes.npy", npy_header("<f4", {prototypes, model.prototypes.size() / prototypes}),
                bytes_of(model.prototypes));
    }
    if (!model.columns.empty()) add_texts(zip, "columns", model.columns);
    zip.add("made_by.npy", npy_header("|u1", {model.made_by.size()}), model.made_by);
    zip.finish();
    out.commit();
}

Model read_parametric_model(const std::filesystem::path& path, const Run& run) {
    return run_reader(path, run, [&] { return parse_parametric_model(load(path)); });
}

}  // namespace dunlin::io
