"""pictures.py - charts of results: by matplotlib where it is there, else as SVG

SPDX-License-Identifier: BSD-2-Clause
"""
from __future__ import annotations

import html
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

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


def draw(chart: Chart) -> Any:
    """The chart as a figure of matplotlib, else as SVG."""
    try:
        from matplotlib import pyplot
    except ImportError:
        return svg(chart)
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


def svg(chart: Chart) -> Svg:
    """The chart as SVG."""
    left, width, line, top = 170, 460, 24, 34
    most = max([1.0, *(sum(bar.parts.values()) for bar in chart.bars)]) # shares
    parts, colours = [part for part in chart.parts() if part], chart.colours()
    height = top + max(line * len(chart.bars) + 44, 16 * len(parts) + 8)
    out = ["<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 880 %d' width='880' height='%d' "
           "font-family='sans-serif' font-size='12'>" % (height, height),
           "<text x='%d' y='18' font-size='14' font-weight='bold'>%s</text>" % (left, html.escape(chart.title))]

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
