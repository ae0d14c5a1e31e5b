// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/device_matrix.hpp>
#include <dunlin/export.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// Parametric t-SNE (van der Maaten 2009): a feed-forward network that takes a row to its place in a map, so that new
/// rows have places without the rows it was trained on.
namespace dunlin::parametric {

/// Training of the network before the KL divergence is lowered. rbm: a stack of restricted Boltzmann machines, layer by
/// layer (Hinton and Salakhutdinov 2006). map: the network learns a t-SNE map of the points (Espadoto et al. 2020).
/// none: its weights stay random.
enum class Pretrain { rbm, map, none };
constexpr std::array<std::string_view, 3> names(Pretrain) { return {"rbm", "map", "none"}; }

/// Units of the hidden layers: logistic 1 / (1 + exp(-x)), or relu max(0, x). The last layer is linear.
enum class Activation { logistic, relu };
constexpr std::array<std::string_view, 2> names(Activation) { return {"logistic", "relu"}; }

/// Visible units of the first machine. binary: with values from 0 to 1 as probabilities. gaussian: of variance 1 around
/// their input.
enum class Visible { binary, gaussian };
constexpr std::array<std::string_view, 2> names(Visible) { return {"binary", "gaussian"}; }

/// Where a machine's chains begin. cd: contrastive divergence, at the rows of each batch (Hinton 2002). pcd:
/// persistent, where they ended in the last batch (Tieleman 2008).
enum class Divergence { cd, pcd };
constexpr std::array<std::string_view, 2> names(Divergence) { return {"cd", "pcd"}; }

/// The KL divergence that training lowers. whole: that of the map of all points. The network's last map of all points
/// gives the normalizer and the neighbors outside a batch. batch: that of each batch by itself, with affinities among
/// the rows of the batch (van der Maaten 2009).
enum class Loss { whole, batch };
constexpr std::array<std::string_view, 2> names(Loss) { return {"whole", "batch"}; }

/// adam: a step for each batch (Kingma and Ba 2015). conjugate-gradients: a few line searches for each batch.
enum class Optimizer { adam, conjugate_gradients };
constexpr std::array<std::string_view, 2> names(Optimizer) { return {"adam", "conjugate-gradients"}; }

/// Default weight decay of Adam.
constexpr float default_weight_decay = 1;
/// Default of Options::noise.
constexpr float default_noise = 1;

struct Options {
    int dim = 2;                          ///< of the map; above 3 only with loss batch and without pretrain map
    std::string layers = "500,500,2000";  ///< units of the hidden layers
    Pretrain pretrain = Pretrain::map;
    std::optional<float> perplexity = {};       ///< default 30, or (m - 1) / 3 for m points or rows of a batch
    float freedom = 1;                          ///< as tsne::Options::freedom
    std::optional<Activation> activation = {};  ///< default relu; with rbm always logistic
    std::optional<Visible> visible = {};        ///< default: binary for values as of pixels
    Divergence divergence = Divergence::cd;
    int gibbs_steps = 1;                      ///< k of CD-k
    std::optional<int> pretrain_epochs = {};  ///< passes over the points before the KL divergence
    std::optional<float> pretrain_rate = {};  ///< rbm: learning rate of a machine of binary units
    std::optional<Loss> loss = {};
    std::optional<Optimizer> optimizer = {};
    std::optional<Index> batch = {};         ///< rows
    std::optional<int> epochs = {};          ///< passes over the points that lower the KL divergence
    std::optional<float> rate = {};          ///< Adam's learning rate at the beginning; it falls to 0
    std::optional<float> weight_decay = {};  ///< share of the weights that a step of Adam takes away, over its rate
    std::optional<Index> prototypes = {};    ///< places of the map whose weighted mean is that of a row; 0: none
    std::optional<float> noise = {};         ///< of the rows while they are learned, in distances of near neighbors
    std::optional<int> line_searches = {};   ///< per batch
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    using enum Pretrain;
    const auto pretrain = [&](std::initializer_list<Pretrain> values) { return when("pretrain", o.pretrain, values); };
    const Optimizer optimizer =
        o.optimizer.value_or(o.pretrain == rbm ? Optimizer::conjugate_gradients : Optimizer::adam);
    const auto optimized_by = [&](Optimizer which) { return when("optimizer", optimizer, {which}); };

    visit(field("dim", o.dim, "dimensions of the map").at_least(1).at_most(1024));
    visit(field("layers", o.layers, "units of the hidden layers, from the input on, separated by commas"));
    visit(field("pretrain", o.pretrain,
                "what the network learns before the KL divergence: a stack of restricted Boltzmann machines, a t-SNE "
                "map of the points, or nothing"));
    visit(field("perplexity", o.perplexity, "effective number of neighbors")
              .at_least(1)
              .by_rule("30, or (m - 1) / 3 if smaller; m: points, with loss batch rows of a batch"));
    visit(field("freedom", o.freedom, "degrees of freedom of the map's kernel, as of tsne").at_least(0.1).at_most(100));
    visit(field("activation", o.activation, "units of the hidden layers")
              .read(pretrain({map, none}))
              .otherwise(Activation::relu));
    visit(field("visible", o.visible, "visible units of the first machine")
              .read(pretrain({rbm}))
              .by_rule("binary if no value is below 0 and the columns spread over the range, as pixels do"));
    visit(field("divergence", o.divergence,
                "where the chains of a machine begin: at the rows of a batch, or where they ended in the last one")
              .read(pretrain({rbm})));
    visit(field("gibbs-steps", o.gibbs_steps, "steps of a chain per batch").at_least(1).read(pretrain({rbm})));
    visit(field("pretrain-epochs", o.pretrain_epochs, "passes over the points before the KL divergence")
              .at_least(0)
              .read(pretrain({rbm, map}))
              .by_rule("rbm: 30; map: 40, or as many as make 2000 steps"));
    visit(field("pretrain-rate", o.pretrain_rate,
                "learning rate of a machine; a hundredth of it with gaussian visible units, and in the last layer; "
                "both multiply")
              .above(0)
              .read(pretrain({rbm}))
              .otherwise(0.1F)
              .otherwise(0.02F, when("divergence", o.divergence, {Divergence::pcd})));
    visit(field("loss", o.loss, "KL divergence of the map of all points, or of each batch by itself")
              .otherwise(Loss::batch)
              .otherwise(Loss::whole, pretrain({map})));
    visit(field("optimizer", o.optimizer, "how the KL divergence is lowered")
              .otherwise(Optimizer::adam)
              .otherwise(Optimizer::conjugate_gradients, pretrain({rbm})));
    visit(field("batch", o.batch, "rows of a batch, at most")
              .at_least(4)
              .by_rule("n / 20, from 100 to 1000; with conjugate-gradients 5000"));
    visit(field("epochs", o.epochs, "passes over the points that lower the KL divergence")
              .at_least(0)
              .by_rule("30; with pretrain map 20; of adam as many as make 1000 steps, if more"));
    visit(field("rate", o.rate, "learning rate of Adam at the beginning; it falls to 0 along a cosine")
              .above(0)
              .read(optimized_by(Optimizer::adam))
              .otherwise(1e-3F));
    visit(field("weight-decay", o.weight_decay,
                "decoupled weight decay: a step of Adam multiplies the weights by 1 - learning rate * this; larger: "
                "smoother maps")
              .at_least(0)
              .read(optimized_by(Optimizer::adam))
              .otherwise(default_weight_decay));
    visit(field("prototypes", o.prototypes,
                "number of prototypes: places of the t-SNE map, whose weighted mean is the place of a row; 0: the last "
                "layer outputs the place")
              .at_least(0)
              .at_most(65'536)
              .read(pretrain({map}))
              .by_rule("256, or half the points if they are fewer"));
    visit(
        field("noise", o.noise,
              "random shift of a row each time it is learned: up to this multiple of the difference of two of its "
              "neighbors, and normal noise of this multiple of the distance to its fifth neighbor; more: smoother maps")
            .at_least(0)
            .read(pretrain({map}))
            .otherwise(default_noise));
    visit(field("line-searches", o.line_searches, "line searches per batch")
              .at_least(1)
              .read(optimized_by(Optimizer::conjugate_gradients))
              .otherwise(3));
}

/// A layer: outputs = unit(inputs * weights + biases).
struct Layer {
    Index inputs = 0, outputs = 0;
    std::vector<float> weights;  ///< [input][output]
    std::vector<float> biases;   ///< [output]
};

/// A trained network. It takes a row x to the output of its layers for (x - shift) * scale; with prototypes to their
/// mean, weighted by the softmax of that output.
struct Model {
    std::vector<double> shift;  ///< per column
    double scale = 1;
    Activation activation = Activation::logistic;  ///< of the hidden layers; the last one is linear
    std::vector<Layer> layers;                     ///< none: no model, training was stopped before there was one
    std::vector<float> prototypes;                 ///< [output of the last layer][axis]; empty: outputs are places
    std::vector<std::string> columns = {};         ///< names of the columns of the points; empty: they had none
    std::string made_by;                           ///< the options of the training as lines "name value", for people
    /// The part of shift that is subtracted in double, before the rows become float32, so that a row has one place
    /// alone and with others. Empty: unknown.
    std::vector<double> offset = {};

    [[nodiscard]] Index cols() const { return static_cast<Index>(shift.size()); }
    [[nodiscard]] int dim() const {
        if (layers.empty()) return 0;
        const Index outputs = layers.back().outputs;
        return prototypes.empty() ? outputs : static_cast<int>(prototypes.size() / static_cast<std::size_t>(outputs));
    }
};

/// Stages: on a GPU "copy"; with pretrain map "neighbors", "affinities", "start", "map"; then "pretrain", "affinities",
/// "optimize", "transform", "score". iterations: steps of Adam, or line searches, of the stage "optimize".
struct Result : Outcome<Options> {
    Model model;
    /// transform(model, points). After a cancellation: for each point the last output of the network in training, whose
    /// input included noise.
    Map map;
    /// loss whole: KL(P, Q) of the map, as tsne::Result::kl; batch: the mean over the batches, each with its own P and
    /// Q. NaN: cancelled before it was computed.
    double kl = std::numeric_limits<double>::quiet_NaN();
    double kl_of_start = std::numeric_limits<double>::quiet_NaN();  ///< pretrain map: of the t-SNE map
    /// After the stage "pretrain": mean squared difference per value between rows and their reconstructions (rbm, of
    /// the first machine), or between t-SNE's places and the network's, over the variance of t-SNE's (map).
    double pretrain_error = std::numeric_limits<double>::quiet_NaN();
    /// pretrain rbm: pretrain_error of reconstructions by the mean of each column, which a machine that learned is
    /// below.
    double pretrain_variance = std::numeric_limits<double>::quiet_NaN();
};

/// Trains a network on the rows of `points` (n x d), on a CPU or a GPU. Throws Error{bad_input}, with the row where
/// there is one, for fewer than 4 points, NaN, infinity, magnitudes above kmeans::largest_number, points that are all
/// equal, and options outside their range or that contradict each other; Error{no_device}; Error{out_of_memory} before
/// it starts. If cancelled, it returns the network after its last step; during pretraining, or before, none. With
/// Run::checkpoint a stopped run can go on (docs/checkpoints.md).
DUNLIN_API Result train(MatrixView<const float> points, const Options& options = {}, const Run& run = {});

/// Places of rows (m x d). The place of a row has the same bytes whatever the other rows are and for any number of
/// threads, on one kind of device. Throws Error{bad_input} with the row for NaN and infinity, and for another number of
/// columns than that of the model; Error{no_device}. If cancelled, the map is empty.
DUNLIN_API Map transform(const Model& model, MatrixView<const float> rows, const Run& run = {});

/// A model for many calls: on a GPU its weights stay in the GPU's memory. Calls from several threads take turns on a
/// GPU.
class DUNLIN_API HeldModel {
public:
    /// Chooses the device by `run`; automatic: for calls of about so many rows. Throws as transform().
    explicit HeldModel(Model model, const Run& run = {}, Index rows = std::numeric_limits<Index>::max());
    ~HeldModel();
    HeldModel(HeldModel&&) noexcept;
    HeldModel& operator=(HeldModel&&) noexcept;

    [[nodiscard]] Device device() const;
    /// As dunlin::parametric::transform(), on the device of this object. Reads threads, memory, stop and progress of
    /// `run`.
    [[nodiscard]] Map transform(MatrixView<const float> rows, const Run& run = {}) const;
    /// Takes rows in the memory of the GPU (dunlin/device.hpp) and returns their places in the same memory. Returns no
    /// rows if cancelled. Throws Error{bad_input} if the model is not on that GPU.
    [[nodiscard]] DeviceMatrix<float> transform(const DeviceMatrixView<const float>& rows, const Run& run = {}) const;

private:
    struct OnDevice;
    std::unique_ptr<OnDevice> state_;
};

/// Throws Error{bad_input} unless the layers fit each other and the columns, and all numbers are finite.
DUNLIN_API void check(const Model& model);

}  // namespace dunlin::parametric

namespace dunlin::io {

/// A Model as .npz (docs/formats.md). The write is atomic.
DUNLIN_API void write_parametric_model(const std::filesystem::path& path, const parametric::Model& model);
/// Throws Error{bad_file} for another file or a damaged one. Sizes are compared with the file before memory is taken.
DUNLIN_API parametric::Model read_parametric_model(const std::filesystem::path& path, const Run& run = {});

}  // namespace dunlin::io
