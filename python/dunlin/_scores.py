# SPDX-License-Identifier: Apache-2.0
"""score(), trustworthiness()."""

from . import _core, _graphs, _intake, _match, _results
from ._anndata import points_of_map, scaling_recorded
from ._scaling import items_of
from ._errors import InputError, OptionError
from ._frames import Frame
from ._groups import LAYOUT_SCORES, SCORES, STRESS, known_names
from ._methods import perplexity_options
from ._options import refuse_unknown, translating, with_options
from ._run import OWN, RUN, Run, finished, say, used_gpu


@with_options(
    SCORES,
    LAYOUT_SCORES,
    RUN,
    own="""
map : array of shape (n, 2 or 3), or a result
    The map. Where it and X, labels or dissimilarities have names of rows, these are matched by name.
X : array of shape (n, d), optional
    The points of which it is a map: trustworthiness, continuity, preservation, rnx_auc, the correlations of distances
    and of densities, triplets; with ``perplexity`` KL divergence.
affinities : sparse matrix, optional
    For the KL divergence.
graph : graph, optional
    The map is a drawing of it: its five scores.
dissimilarities : array of shape (n, n) or condensed, optional
    The map is of these: its stresses.
labels : array of shape (n,), optional
    Classes of the points: label_accuracy; with X centroid_neighbors, centroid_correlation and centroid_triplets. Points
    without a label (None, NaN, pandas.NA, a mask, '') have no part in them; -1 is a class.
perplexity : float, sequence of floats, or str, optional
    As for tsne(): also compute the KL divergence of X's affinities.
normalize : {'none', 'standardize', 'minmax'}, optional
    Scaling of the columns of X, as for tsne(). Default: as the map was made, where it is a result.
use_rep : str, optional
    Of an AnnData X: as for transform().
weight : str or None, default 'weight'
    As for layout().
weight_means : {'strength', 'length'}, default 'strength'
    As for layout().
"""
    + OWN,
)
def score(
    map,
    X=None,
    *,
    affinities=None,
    graph=None,
    dissimilarities=None,
    labels=None,
    perplexity=None,
    normalize=None,
    use_rep=None,
    weight="weight",
    weight_means="strength",
    callbacks=None,
    verbose=0,
    n_jobs=None,
    **options,
):
    """Scores of any map, also one made elsewhere. docs/scores.md defines them.

    Returns
    -------
    Scores
        A dict from name to value; ``.se`` has standard errors of sampled ones, ``.rnx_curve`` the neighbors kept at every
        scale, ``.device`` where they ran: 'auto' takes the GPU if there is one and the work is large. Scores of drawings
        run on the CPU.
    """
    known = known_names(
        SCORES, LAYOUT_SCORES, STRESS, own=("affinities", "graph", "dissimilarities", "labels", "perplexity", "use_rep")
    )
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks, scaling=_results.scaling_for(scaling_recorded(X, map, normalize), map))
    if normalize is not None and X is None:
        raise InputError("normalize is of the columns of X, which is not given", option="normalize")
    if weight_means not in ("strength", "length"):
        raise OptionError(f"weight_means is {weight_means!r}; it must be 'strength' or 'length'", option="weight_means")
    for name, value, usual in (("weight", weight, "weight"), ("weight_means", weight_means, "strength")):
        if graph is None and value != usual:
            raise InputError(f"{name} needs graph, whose weights it is of", option=name)
    device, run.device = run.device, "cpu" if run.device == "auto" else run.device
    drawn = None if graph is None else _graphs.graph_of(graph, weight, lengths=weight_means == "length")
    placed = _graphs.map_of(map, drawn)
    n, rows = len(placed), _match.rows_of_map(map, X) if drawn is None else _match.rows_drawn(map, drawn)
    used = set()

    def of(group):
        used.update(group.names())
        return group.take(dict(options))

    def judged(outcome):
        found.update(finished(outcome, dict))

    with translating(SCORES, LAYOUT_SCORES, RUN):
        found = {}
        refuse_unknown("score", set(options) - known, known)
        if drawn is not None:
            sizes = dict(of(LAYOUT_SCORES), lengths=weight_means == "length")
            judged(_core.judge_layout(drawn.csr, placed, sizes, run.core(), run.callback()))
        if dissimilarities is not None:
            dissimilarities = _match.square(dissimilarities, rows, "dissimilarities")
            items = items_of({"dissimilarities": dissimilarities}, None, {}, run)
            judged(_core.stress(items, placed, None, of(STRESS), run.core(), run.callback()))
        if X is not None or affinities is not None or labels is not None:
            sizes = of(SCORES)
            metric = sizes.get("metric") or "euclidean"
            X = None if X is None else points_of_map(map, X, use_rep, graph=drawn)
            points = None if X is None else _intake.points(X, run, metric=metric).values
            edges = None if affinities is None else _intake.csr_of(_match.graph(affinities, rows, "affinities"), n, "affinities", sums=True)
            if perplexity is not None:
                if points is None or edges is not None:
                    raise InputError("perplexity needs X, and no affinities", option="perplexity")
                edges = _affinities(points, perplexity, metric, run)
            codes, names = (None, []) if labels is None else _intake.labels(_match.labels(labels, rows), n)
            run.device = device
            coincident = _core.coincident(placed)
            if coincident:
                say(coincident)
            judged(_core.judge(placed, points, edges, codes, names, sizes, run.core(), run.callback()))
            if found.get("ran_on") == "cuda":
                used_gpu()
        elif perplexity is not None:
            raise InputError("perplexity needs X", option="perplexity")
    for name in set(options) - used:
        raise InputError(f"{name} is not read by the scores of what is given", option=name)
    return _results.Scores(found)


def _affinities(points, perplexity, metric, run):
    """Affinities of points by one perplexity or several, as those of tsne()."""
    n = points.shape[0]
    chosen = perplexity_options(perplexity) or {"perplexity": min(30.0, max(1.0, (n - 1) / 3))}
    if "perplexity" in chosen:
        largest = chosen["perplexity"] = _intake.number(chosen["perplexity"], "perplexity")
    else:
        largest = max(_of_points(each.strip(), n) for each in chosen["perplexities"].split(","))
    k = min(max(1, int(3 * largest)), n - 1)
    near = finished(_core.neighbors(points, {"k": k, "metric": metric}, run.core(), None), dict)
    return finished(_core.affinities(near["graph"], chosen, None, run.core(), None), tuple)


def _of_points(word, n):
    """A number in words, such as 30 or n/100."""
    over = word.removeprefix("n/")
    number = _intake.number(over, "perplexity")
    return number if over == word else n / number if number > 0 else 0.0


def trustworthiness(X, X_embedded, *, n_neighbors=5, metric="euclidean", n_jobs=None, normalize=None, use_rep=None):
    """Trustworthiness of a map (Venna and Kaski 2001), of all rows up to 20,000.

    Parameters
    ----------
    X : array of shape (n, d)
        The points.
    X_embedded : array of shape (n, 2 or 3)
        Their map.
    n_neighbors : int, default 5
        Size of the neighborhood; less than n / 2.
    metric : str, default 'euclidean'
        Distance between two points.
    n_jobs : int, optional
        CPU threads.
    normalize : {'none', 'standardize', 'minmax'}, optional
        Scaling of the columns of X, as for tsne(). Default: as the map was made, where it is a result.
    use_rep : str, optional
        Of an AnnData X: as for transform().
    """
    run = Run({"n_jobs": n_jobs}, scaling=_results.scaling_for(scaling_recorded(X, X_embedded, normalize), X_embedded))
    points = _intake.points(points_of_map(X_embedded, X, use_rep), run, metric=metric)
    placed = Frame().taken(X_embedded, "X_embedded", rows=len(points.values))
    value, _, raised = _core.trustworthiness(points.values, placed, n_neighbors, {"metric": metric}, run.on_cpu())
    if raised is not None:
        raise raised
    return value
