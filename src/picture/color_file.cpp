// SPDX-License-Identifier: Apache-2.0
#include <dunlin/palettes.hpp>
#include <dunlin/run.hpp>

#include "io/fail.hpp"
#include "io/hdf5_module.hpp"
#include "io/label_colors.hpp"
#include "io/run_reader.hpp"
#include "picture/palettes.hpp"

namespace dunlin::picture {

std::vector<LabelColor> read_label_colors(const std::filesystem::path& path, const std::string& column) {
    const std::string file = path.string();
    return io::run_reader(path, {}, [&] {
        const std::vector<io::LabelAndColor> rows = io::is_hdf5_name(file)
                                                        ? io::hdf5_module(file).read_colors(file, column)
                                                        : io::read_label_colors(io::load(path));
        std::vector<LabelColor> colors;
        for (const auto& [label, color] : rows) {
            if (!color_named(color))
                io::bad_file("'{}': the color of '{}' is '{}'; give one such as #1a2b3c", file, io::shown(label),
                             io::shown(color));
            colors.push_back({label, color});
        }
        return colors;
    });
}

}  // namespace dunlin::picture
