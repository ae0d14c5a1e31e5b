// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include "arrays.hpp"

namespace dunlin::python {

Watched::Watched(const nb::dict& given, nb::object callback, int snapshot_every, Index points, int dim)
    : callback_(std::move(callback)), points_(points), dim_(dim) {
    nb::dict listed, of_checkpoint;
    const nb::dict checkpoint_options = dict_of(CheckpointOptions());
    for (const auto [key, value] : given) {
        if (nb::cast<std::string>(key) == "gpus") {
            for (const nb::handle gpu : nb::cast<nb::list>(value)) run_.gpus.push_back(integer_of<int>(gpu, "device"));
        } else if (checkpoint_options.contains(key)) {
            of_checkpoint[key] = value;
        } else {
            listed[key] = value;
        }
    }
    run_ = options_from(listed, std::move(run_));
    options_from<CheckpointOptions>(of_checkpoint).set(run_);
    run_.on_notice = [this](Notice kind, const std::string& sentence) { tell(kind, sentence); };
    run_.stop = source_.get_token();
    run_.snapshot_every = callback_.is_none() ? 0 : snapshot_every;
    run_.on_progress = [this](const Progress& progress) { tell(progress); };
}

void Watched::tell(const Progress& progress) {
    const nb::gil_scoped_acquire acquired;
    if (error_) return;
    try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (callback_.is_none()) return;
        nb::object map = nb::none();
        if (!progress.coordinates.empty()) {
            std::vector<float> copy(progress.coordinates.begin(), progress.coordinates.end());
            const std::size_t dim =
                points_ > 0 ? copy.size() / static_cast<std::size_t>(points_) : static_cast<std::size_t>(dim_);
            const std::size_t rows = copy.size() / dim;
            map = array_of(std::move(copy), {rows, dim});
        }
        const nb::object answer =
            callback_(std::string(progress.stage), progress.done, progress.total, progress.cost, map);
        if (!answer.is_none() && nb::cast<bool>(nb::bool_(answer))) source_.request_stop();
    } catch (nb::python_error& error) {
        error_.emplace(std::move(error));
        source_.request_stop();
    }
}

void Watched::tell(Notice kind, const std::string& sentence) {
    const nb::gil_scoped_acquire acquired;
    if (error_) return;
    try {
        nb::module_::import_("dunlin._run").attr("notice")(kind == Notice::warning, sentence);
    } catch (nb::python_error& error) {  // a warning that is an error
        error_.emplace(std::move(error));
        source_.request_stop();
    }
}

nb::object Watched::raised() {
    if (!error_) return nb::none();
    return nb::borrow(error_->value());
}

}  // namespace dunlin::python
