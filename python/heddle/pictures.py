"""pictures.py - charts of results: by matplotlib where it is there, else as SVG

SPDX-License-Identifier: BSD-2-Clause
"""
from __future__ import annotations

import html
import math
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple, Union

from ._program import File

# What issue slots are used for has a colour by the beginning of its name; its parts are shades of it.
_GROUPS = {"single": (46, 125, 80), "dual": (22, 90, 60), "stall": (196, 78, 66), "scoreboard": (222, 143, 52),
           "dependence": (222, 143, 52), "idle": (130, 138, 150)}
_OTHERS = (70, 110, 170)
_SMALL = 0.01 # shares below that are one part


class Svg(str):
    """A drawing, which a notebook shows."""

    def _repr_svg_(self) -> str:
        return str(self)

    def savefig(self, file: File) -> None:
        """Writes the drawing, as the method of matplotlib's figures of that name."""
        part = os.fspath(file) + ".part"
        with open(part, "w", encoding="utf-8") as f:
            f.write(self)
        os.replace(part, file)


class Bar(NamedTuple):
    """A bar of a chart: its name, and the parts of which it is made."""
    name: str
    parts: Mapping[str, float]


class Chart(NamedTuple):
    """Horizontal bars of shares."""
    title: str
    axis: str # what is measured, and its unit
    bars: Sequence[Bar]

    def parts(self) -> List[str]:
        """Names of parts in their order: those of a group together, the largest first."""
        sizes: Dict[str, float] = {}
        for bar in self.bars:
            for name, value in bar.parts.items():
                sizes[name] = sizes.get(name, 0) + value
        groups: Dict[str, float] = {}
        for name, size in sizes.items():
            groups[_group(name)] = groups.get(_group(name), 0) + size
        order = list(_GROUPS)
        return sorted(sizes, key=lambda name: (order.index(_group(name)) if _group(name) in order else len(order),
                                               -groups[_group(name)], _group(name), -sizes[name], name))

    def colours(self) -> Dict[str, Tuple[float, float, float]]:
        """Red, green and blue of each part, from 0 to 1."""
        found: Dict[str, Tuple[float, float, float]] = {}
        before: Dict[str, int] = {}
        for name in self.parts():
            red, green, blue = _GROUPS.get(_group(name), _OTHERS)
            light = 1 - 0.82 ** before.get(_group(name), 0) # of the way to white
            before[_group(name)] = before.get(_group(name), 0) + 1
            found[name] = tuple((c + (255 - c) * light * 0.85) / 255 for c in (red, green, blue)) # type: ignore
        return found


class Point(NamedTuple):
    """A kernel in a roofline."""
    name: str
    intensity: float # warp instructions per byte
    speed: float     # warp instructions per cycle


class Roofline(NamedTuple):
    """Kernels below two roofs: what memory can feed, and what schedulers can issue."""
    title: str
    memory: float # peak, in bytes per cycle
    issue: float  # peak, in warp instructions per cycle
    points: Sequence[Point]

    def span(self) -> Tuple[float, float, float, float]:
        """The axes: from and to, of intensity and of speed, powers of ten."""
        ridge = self.issue / self.memory
        across = [ridge / 3, ridge * 3, *(p.intensity for p in self.points)]
        up = [self.issue * 1.5, min(self.issue / 10, *(p.speed for p in self.points))]
        return (10.0 ** math.floor(math.log10(min(across))), 10.0 ** math.ceil(math.log10(max(across))),
                10.0 ** math.floor(math.log10(max(min(up), 1e-6))), 10.0 ** math.ceil(math.log10(max(up))))

    def roof(self, left: float, right: float) -> List[Tuple[float, float]]:
        """Corners of the roof between two intensities."""
        ridge = self.issue / self.memory
        inner = [(ridge, self.issue)] if left < ridge < right else []
        return [(x, y) for x, y in [(left, min(self.issue, left * self.memory)), *inner,
                                    (right, min(self.issue, right * self.memory))]]


AXES = ("warp instructions per byte of memory", "warp instructions per cycle")


class Level(NamedTuple):
    """A level of the memory: its box, and the arrow that leads to it."""
    name: str
    lines: Sequence[str]
    flow: Sequence[str]


class Levels(NamedTuple):
    """The memory chart: levels from the SMs to the memory channels."""
    title: str
    levels: Sequence[Level]


class Lines(NamedTuple):
    """A list in columns, up to an empty line, and what its letters mean.  Letters from a column on have colours."""
    lines: Sequence[str]
    start: int # the first of these columns

    def letters(self) -> List[Tuple[int, int, str, str]]:
        """Row, column, letter and colour of each."""
        return [(row, column, c, "#%02x%02x%02x" % tuple(round(200 + 55 * math.cos(1.7 * ord(c) + shift)) for shift in (0, 2, 4)))
                for row, line in enumerate(self.lines) for column, c in enumerate(line)
                if c.isalpha() and (self.start <= column if row < self._end() else column == 0 and line[1:2] == " ")]

    def _end(self) -> int:
        return next((row for row, line in enumerate(self.lines) if not line.strip()), len(self.lines))


Picture = Union[Chart, Roofline, Levels, Lines]


def _group(name: str) -> str:
    return name.partition(".")[0]


def shares(slots: Mapping[str, int]) -> Dict[str, float]:
    """Shares of issue slots; small ones of a group are one part."""
    found: Dict[str, float] = {}
    total = max(sum(slots.values()), 1)
    for name, n in slots.items():
        share = n / total
        small = "%s.(others)" % _group(name) if share < _SMALL and "." in name else name
        found[small] = found.get(small, 0.0) + share
    return found


def draw(picture: Picture) -> Any:
    """The picture as a figure of matplotlib, else as SVG."""
    try:
        from matplotlib import pyplot
    except ImportError:
        return svg(picture)
    if isinstance(picture, Chart):
        return _bars(pyplot, picture)
    if isinstance(picture, Lines):
        return _lines(pyplot, picture)
    return _roofline(pyplot, picture) if isinstance(picture, Roofline) else _levels(pyplot, picture)


def _roofline(pyplot: Any, picture: Roofline) -> Any:
    left, right, low, high = picture.span()
    figure, axes = pyplot.subplots(figsize=(8, 5))
    pyplot.close(figure)
    axes.loglog(*zip(*picture.roof(left, right)), color="black")
    for point in picture.points:
        axes.loglog([point.intensity], [point.speed], marker="o", linestyle="", label=point.name)
    axes.set(title=picture.title, xlabel=AXES[0], ylabel=AXES[1], xlim=(left, right), ylim=(low, high))
    axes.text(right, picture.issue, "%.4g per cycle " % picture.issue, ha="right", va="bottom")
    axes.text(left, left * picture.memory / 1.6, " %.4g bytes per cycle" % picture.memory, ha="left", va="top")
    axes.grid(True, which="both", alpha=0.2)
    axes.legend(loc="lower right", fontsize="small")
    return figure


def _levels(pyplot: Any, picture: Levels) -> Any:
    n = len(picture.levels)
    figure, axes = pyplot.subplots(figsize=(2.6 * n, 2.2))
    pyplot.close(figure)
    axes.set(title=picture.title, xlim=(0, n), ylim=(0, 1))
    axes.axis("off")
    for i, level in enumerate(picture.levels):
        axes.add_patch(pyplot.Rectangle((i + 0.02, 0.1), 0.56, 0.8, fill=False))
        axes.text(i + 0.3, 0.74, level.name, ha="center", weight="bold", fontsize="small")
        axes.text(i + 0.3, 0.6, "\n".join(level.lines), ha="center", va="top", fontsize="x-small")
        if i > 0:
            axes.annotate("", (i + 0.01, 0.25), (i - 0.41, 0.25), arrowprops={"arrowstyle": "->"})
            axes.text(i - 0.2, 0.35, "\n".join(level.flow), ha="center", va="bottom", fontsize="x-small")
    return figure


def _bars(pyplot: Any, chart: Chart) -> Any:
    figure, axes = pyplot.subplots(figsize=(9, 1.6 + 0.4 * len(chart.bars)))
    pyplot.close(figure) # a notebook shows what the call returns, once
    colours, at = chart.colours(), [0.0] * len(chart.bars)
    for part in chart.parts():
        widths = [bar.parts.get(part, 0.0) for bar in chart.bars]
        axes.barh(range(len(chart.bars)), widths, left=at, color=colours[part], label=part or None)
        at = [a + w for a, w in zip(at, widths)]
    axes.set_yticks(range(len(chart.bars)), [bar.name for bar in chart.bars])
    axes.invert_yaxis()
    axes.set_title(chart.title)
    axes.set_xlabel(chart.axis)
    axes.set_xlim(0, max(1.0, *at, 0.0))
    if chart.parts() != [""]:
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), fontsize="small")
    figure.set_layout_engine("tight")
    return figure


def svg(picture: Picture) -> Svg:
    """The picture as SVG."""
    if isinstance(picture, Chart):
        return _bars_svg(picture)
    if isinstance(picture, Lines):
        return _lines_svg(picture)
    return _roofline_svg(picture) if isinstance(picture, Roofline) else _levels_svg(picture)


def _lines_svg(picture: Lines) -> Svg:
    wide, high = 7.3, 16 # of a letter
    most = max(map(len, picture.lines), default=0)
    out = ["<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d' font-family='monospace' "
           "font-size='12'>" % (2 * (wide * most + 8, high * len(picture.lines) + 8))]
    out += ["<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s'/>" % (4 + wide * column, 4 + high * row, wide, high, colour)
            for row, column, _, colour in picture.letters()]
    out += [_text(4, 16 + high * row, line, "xml:space='preserve' textLength='%.1f'" % (wide * len(line)))
            for row, line in enumerate(picture.lines) if line]
    return Svg("\n".join([*out, "</svg>\n"]))


def _lines(pyplot: Any, picture: Lines) -> Any:
    rows, columns = len(picture.lines), max(map(len, picture.lines), default=1)
    figure, axes = pyplot.subplots(figsize=(0.09 * columns + 0.2, 0.18 * rows + 0.2))
    pyplot.close(figure)
    axes.set(xlim=(0, columns), ylim=(rows, 0))
    axes.axis("off")
    for row, column, _, colour in picture.letters():
        axes.add_patch(pyplot.Rectangle((column, row), 1, 1, color=colour, linewidth=0))
    for row, line in enumerate(picture.lines):
        for column, c in enumerate(line):
            if c != " ":
                axes.text(column + 0.5, row + 0.5, c, family="monospace", fontsize=8, ha="center", va="center")
    return figure


def _begin(width: int, height: int, left: int, title: str) -> List[str]:
    return ["<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d' "
            "font-family='sans-serif' font-size='12'>" % (width, height, width, height),
            _text(left, 18, title, "font-size='14' font-weight='bold'")]


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return "<text x='%.1f' y='%.1f' %s>%s</text>" % (x, y, more, html.escape(text))


def _roofline_svg(picture: Roofline) -> Svg:
    left, right, low, high = picture.span()
    x0, y0, width, height = 70, 34, 480, 300

    def place(x: float, y: float) -> Tuple[float, float]:
        return (x0 + width * math.log10(x / left) / math.log10(right / left),
                y0 + height - height * math.log10(max(y, low) / low) / math.log10(high / low))

    out = _begin(880, y0 + height + 50, x0, picture.title)
    for first, last, mark in (left, right, "x"), (low, high, "y"):
        value = first
        while value <= last * 1.001:
            x, y = place(value, low) if mark == "x" else place(left, value)
            out.append("<path d='M%.1f %.1f%s' stroke='#ddd'/>" % (x, y, "v%d" % -height if mark == "x" else "h%d" % width))
            out.append(_text(x, y + 16, "%g" % value, "text-anchor='middle'") if mark == "x" else
                       _text(x - 6, y + 4, "%g" % value, "text-anchor='end'"))
            value *= 10
    corners = [place(x, y) for x, y in picture.roof(left, right)]
    out.append("<polyline points='%s' fill='none' stroke='#222' stroke-width='2'/>" % " ".join("%.1f,%.1f" % c for c in corners))
    out.append(_text(corners[-1][0] - 4, corners[-1][1] - 6, "%.4g per cycle" % picture.issue, "text-anchor='end'"))
    out.append(_text(corners[0][0] + 6, corners[0][1] + 24, "%.4g bytes per cycle" % picture.memory))
    out.append(_text(x0 + width / 2, y0 + height + 36, AXES[0], "text-anchor='middle'"))
    out.append(_text(x0 + 6, y0 + 12, AXES[1], "fill='#666'"))
    for i, point in enumerate(picture.points):
        x, y = place(point.intensity, point.speed)
        colour = "hsl(%d,60%%,42%%)" % (137 * i % 360)
        about = "%s: %.4g per byte, %.4g per cycle" % (point.name, point.intensity, point.speed)
        out.append("<circle cx='%.1f' cy='%.1f' r='5' fill='%s'><title>%s</title></circle>" % (x, y, colour, html.escape(about)))
        out.append("<circle cx='580' cy='%d' r='5' fill='%s'/>%s" % (y0 + 16 * i, colour, _text(592, y0 + 4 + 16 * i, point.name)))
    return Svg("\n".join([*out, "</svg>\n"]))


def _levels_svg(picture: Levels) -> Svg:
    step, width = 240, 140
    out = _begin((len(picture.levels) - 1) * step + width + 4, 134, 2, picture.title)
    for i, level in enumerate(picture.levels):
        x = i * step + 2
        out.append("<rect x='%d' y='30' width='%d' height='96' rx='6' fill='none' stroke='#222'/>" % (x, width))
        out.append(_text(x + width / 2, 56, level.name, "text-anchor='middle' font-weight='bold'"))
        out += [_text(x + width / 2, 80 + 18 * k, line, "text-anchor='middle'") for k, line in enumerate(level.lines)]
        if i > 0:
            out.append("<path d='M%d 102H%dm-8 -5l8 5l-8 5' fill='none' stroke='#222'/>" % (x - step + width + 4, x - 4))
            out += [_text(x - (step - width) / 2, 50 + 18 * k, line, "text-anchor='middle'") for k, line in enumerate(level.flow)]
    return Svg("\n".join([*out, "</svg>\n"]))


def _bars_svg(chart: Chart) -> Svg:
    left, width, line, top = 170, 460, 24, 34
    most = max([1.0, *(sum(bar.parts.values()) for bar in chart.bars)]) # shares
    parts, colours = [part for part in chart.parts() if part], chart.colours()
    height = top + max(line * len(chart.bars) + 44, 16 * len(parts) + 8)
    out = _begin(880, height, left, chart.title)

    def fill(part: str) -> str:
        return "rgb(%d,%d,%d)" % tuple(round(255 * c) for c in colours[part])

    for i, bar in enumerate(chart.bars):
        x, y = float(left), top + line * i
        name = bar.name if len(bar.name) < 26 else bar.name[:24] + "…"
        out.append("<text x='%d' y='%d' text-anchor='end'>%s</text>" % (left - 8, y + 15, html.escape(name)))
        for part in chart.parts():
            w = width * bar.parts.get(part, 0.0) / most
            if w > 0:
                label = html.escape(" ".join(filter(None, (part, "%.4g" % bar.parts[part]))))
                out.append("<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s'><title>%s</title></rect>"
                           % (x, y, w, line - 6, fill(part), label))
            x += w
    y = top + line * len(chart.bars) + 4
    out.append("<path d='M%d %dh%d' stroke='#888'/>" % (left, y, width))
    for i in range(5):
        out.append("<text x='%.1f' y='%d' text-anchor='middle' fill='#666'>%.3g</text>"
                   % (left + width * i / 4, y + 15, most * i / 4))
    out.append("<text x='%.1f' y='%d' text-anchor='middle'>%s</text>"
               % (left + width / 2, y + 32, html.escape(chart.axis)))
    for i, part in enumerate(parts):
        y = top + 16 * i
        out.append("<rect x='650' y='%d' width='11' height='11' fill='%s'/><text x='666' y='%d'>%s</text>"
                   % (y, fill(part), y + 10, html.escape(part)))
    return Svg("\n".join([*out, "</svg>\n"]))


def table(rows: Sequence[Sequence[Any]], head: Sequence[str] = ()) -> str:
    """A table for a notebook."""
    def row(cells: Sequence[Any], kind: str) -> str:
        return "<tr>%s</tr>" % "".join("<%s>%s</%s>" % (kind, html.escape(str(c)), kind) for c in cells)

    return "<table>%s%s</table>" % (row(head, "th") if head else "", "".join(row(r, "td") for r in rows))
