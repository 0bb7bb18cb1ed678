"""Static pictures of the site as numbers for its templates: places in per cent, so that text keeps its size."""

from dataclasses import dataclass
from math import sqrt

from matplotlib.ticker import MaxNLocator

from proset.plot.style import COLOURS
from proset_study.report.article.installed import Bar
from proset_study.report.article.model import Model
from proset_study.report.figures.style import method_style
from proset_study.report.rows import groups
from proset_study.report.wording import MINUS, fixed

TICKS = 7  # steps of the axis, at most
WIDTH, HEIGHT, MARGIN = 440, 300, 34  # of the picture of a model, in CSS pixels
LETTER, LINE = 8, 14  # of a name in it


@dataclass(frozen=True)
class Row:
    """A line of the figure of differences; places are in per cent of its width."""

    name: str
    colour: str
    mean: float
    low: float | None
    high: float | None
    dots: list[float]
    text: str


@dataclass(frozen=True)
class Forest:
    """Differences to rivals, with real and generated data apart."""

    groups: list[tuple[str, list[Row]]]
    ticks: list[tuple[float, str]]
    zero: float


def forest(bars: list[Bar]) -> Forest:
    """Lay out differences on one axis, on which all of them are."""
    ends = [end for bar in bars for end in (*(bar.interval or ()), *bar.by_data_set.values(), 0.0)]
    steps = [float(step) for step in MaxNLocator(TICKS, steps=[1, 2, 5, 10]).tick_values(min(ends), max(ends))]
    low, high = steps[0], steps[-1]

    def place(value: float) -> float:
        return round(2 + 96 * (value - low) / (high - low), 2)

    by_kind = []
    for kind, of_kind in groups(bars, "kind").items():
        n = max(len(bar.by_data_set) for bar in of_kind)
        by_kind.append((f"{n} {kind} tables", [_row(bar, place) for bar in of_kind]))
    ticks = [(place(step), f"{step:+.3g}".replace("-", MINUS) if round(step, 9) else "0") for step in steps]
    return Forest(by_kind, ticks, place(0.0))


def _row(bar, place):
    low, high = (None, None) if bar.interval is None else map(place, bar.interval)
    text = fixed(bar.mean, 3, "+")
    if bar.interval is not None:
        text += f" ({fixed(bar.interval[0], 3, '+')} to {fixed(bar.interval[1], 3, '+')})"
    dots = [place(value) for value in bar.by_data_set.values()]
    return Row(bar.name, method_style(bar.method)["color"], place(bar.mean), low, high, dots, text)


def scatter(model: Model) -> dict:
    """The two numbers that the model of penguins reads: all of them, and those it keeps, larger with their weight."""
    xs, ys = ([getattr(p, axis) for p in model.points] for axis in "xy")
    species = list(dict.fromkeys(p.species for p in model.points))
    colours = dict(zip(species, COLOURS, strict=False))

    def place(point):
        x = MARGIN + (point.x - min(xs)) / (max(xs) - min(xs)) * (WIDTH - 1.5 * MARGIN)
        y = HEIGHT - MARGIN - (point.y - min(ys)) / (max(ys) - min(ys)) * (HEIGHT - 1.7 * MARGIN)
        return {"x": round(x, 1), "y": round(y, 1), "colour": colours[point.species]}

    points = [place(p) for p in model.points]
    heaviest = max(p.weight for p in model.prototypes)
    prototypes = []
    for p in model.prototypes:
        radius = round(5 + 7 * sqrt(p.weight / heaviest), 1)
        prototypes.append({**place(p), "r": radius, "row": p.row, "island": p.island, "of": p.species})
    named = []
    for name in species:
        of_species = [drawn for p, drawn in zip(model.points, points, strict=True) if p.species == name]
        x = sorted(p["x"] for p in of_species)[len(of_species) // 2]
        above, below = min(p["y"] for p in of_species) - 6, max(p["y"] for p in of_species) + 16
        covered = {y: sum(_is_under(name, x, y, p) for p in points) for y in (above, below)}
        named.append({"name": name, "x": x, "y": min(covered, key=covered.__getitem__), "colour": colours[name]})
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "points": points,
        "prototypes": prototypes,
        "species": named,
        "ends": {"x": (min(xs), max(xs)), "y": (min(ys), max(ys))},
    }


def _is_under(name, x, y, point):
    """Whether a point would be under a name of that many letters, centred at `x` with its line at `y`."""
    return abs(point["x"] - x) < LETTER / 2 * len(name) and y - LINE < point["y"] < y
