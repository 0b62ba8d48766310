// The chart that fits an answer: bars for categories, a line over time, none where none fits.

import { el } from "./dom.js";
import { heading, isLabel, isNumeric, shown } from "./table.js";
import { t } from "./strings.js";

const MOST = 40; // bars
const SERIES = 6;
const HEIGHT = 240; // pixels
const GAP = 12; // pixels between two labels
const AXIS = 60; // pixels left of the bars
const UNLIKE = 50; // times as large as another, and bars of the other cannot be seen
const TIME = /^\d{4}(-\d{2}(-\d{2}([ T]\d{2}:\d{2}.*)?)?)?$/;

/**
 * Return what is drawn of an answer, null where no chart fits: one column of labels, up to three of numbers, or a
 * second column of labels that tells a few series apart.
 */
export function fitting({ columns, rows }) {
  if (rows.length < 2) return null;
  const numbers = columns.map((name, place) => isNumeric(rows, place) && !isLabel(name));
  const time = columns.findIndex((name, place) =>
    isTime(
      name,
      rows.map((row) => row[place]),
    ),
  );
  const labels = columns.map((_, place) => place).filter((place) => place === time || !numbers[place]);
  const values = columns.map((_, place) => place).filter((place) => !labels.includes(place));
  if (!values.length || values.length > 3 || !labels.length || labels.length > 2) return null;
  if (rows.some((row) => labels.some((place) => row[place] === null))) return null;
  const first = time >= 0 ? time : labels[0];
  const second = labels.find((place) => place !== first);
  if (unlike(rows, values)) return null;
  if (second !== undefined && (values.length > 1 || distinct(rows, second) > SERIES)) return null;
  if (new Set(rows.map((row) => JSON.stringify(labels.map((place) => row[place])))).size < rows.length) return null;
  if (time < 0 && distinct(rows, first) > MOST) return null;
  if (distinct(rows, first) < 2) return null;
  return { kind: time >= 0 ? "line" : "bar", label: first, values, series: second };
}

function distinct(rows, place) {
  return new Set(rows.map((row) => row[place])).size;
}

function unlike(rows, values) {
  const most = values.map((place) => Math.max(...rows.map((row) => Math.abs(row[place]))));
  return Math.max(...most) > UNLIKE * Math.min(...most);
}

function isTime(name, cells) {
  if (cells.every((cell) => typeof cell === "string" && TIME.test(cell))) return true;
  return /year/i.test(name) && cells.every((cell) => Number.isInteger(cell) && cell > 1000 && cell < 3000);
}

/** Return the chart's description for Vega-Lite; bars lie where their labels would not stand beside each other. */
function spec(fit, { columns, rows }, colours, width) {
  const named = fit.values.map((place) => heading(columns[place]));
  const data = rows.flatMap((row) =>
    fit.values.map((place, i) => ({
      label: String(row[fit.label]),
      value: row[place],
      told: shown(row[place], columns[place]),
      series: fit.series === undefined ? named[i] : String(row[fit.series]),
    })),
  );
  const whole = data.every((one) => one.value === null || Number.isInteger(one.value));
  const several = fit.series !== undefined || named.length > 1;
  const names = [...new Set(rows.map((row) => String(row[fit.label])))];
  const wide = (widest(names) + GAP) * names.length > width - AXIS;
  const across = fit.kind === "bar" && wide;
  const name = heading(columns[fit.label]);
  const label = {
    field: "label",
    type: "nominal",
    sort: fit.kind === "line" ? "ascending" : null,
    title: across ? null : name,
    axis: { labelAngle: 0, labelLimit: width * 0.4 },
  };
  const value = {
    field: "value",
    type: "quantitative",
    title: several ? null : named[0],
    axis: { tickCount: across ? Math.max(2, width / 120) : 5, ...(whole ? { tickMinStep: 1, format: ",d" } : {}) },
  };
  const colour = {
    field: "series",
    type: "nominal",
    title: null,
    sort: null,
    legend: { orient: "top", columns: Math.max(1, Math.floor(width / 180)), labelLimit: width - AXIS },
    scale: { range: colours.series },
  };
  const tooltip = [
    { field: "label", title: name },
    ...(several ? [{ field: "series", title: " " }] : []),
    { field: "told", title: several ? " " : named[0] },
  ];
  return {
    title: across ? { text: name, anchor: "start", frame: "bounds", limit: width } : null,
    width: "container",
    height: across ? { step: several ? 12 : 22 } : HEIGHT,
    data: { values: data },
    mark:
      fit.kind === "line" ? { type: "line", point: { size: 36 }, strokeWidth: 2 } : { type: "bar", cornerRadiusEnd: 3 },
    encoding: {
      [across ? "y" : "x"]: label,
      [across ? "x" : "y"]: value,
      ...(several ? { color: colour } : {}),
      ...(several && fit.kind === "bar" ? { [across ? "yOffset" : "xOffset"]: { field: "series", sort: null } } : {}),
      tooltip,
    },
    config: {
      background: null,
      font: "system-ui, sans-serif",
      view: { stroke: null },
      mark: { color: colours.series[0] },
      axis: {
        labelColor: colours.dim,
        titleColor: colours.dim,
        gridColor: colours.line,
        domainColor: colours.line,
        tickColor: colours.line,
        titleFontWeight: "normal",
        labelFontSize: 12,
        titleFontSize: 12,
        labelOverlap: true,
        labelSeparation: GAP / 2,
      },
      axisX: { titleLimit: width - AXIS, ...(across ? {} : { grid: false }) },
      axisY: across ? { grid: false, labelOverlap: false, maxExtent: width } : { titleLimit: HEIGHT },
      scale: { bandPaddingInner: 0.35, bandPaddingOuter: 0.2 },
      title: { color: colours.dim, fontSize: 12, fontWeight: "normal" },
      legend: { labelColor: colours.dim, labelFontSize: 12 },
    },
  };
}

/** Return how many pixels the widest of some labels takes. */
function widest(labels) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = "12px system-ui, sans-serif";
  return Math.max(...labels.map((label) => pen.measureText(label).width));
}

let loading = null;

function loaded(file) {
  return new Promise((done, failed) => {
    document.head.append(el("script", { src: new URL(file, import.meta.url), on: { load: done, error: failed } }));
  });
}

/** Load Vega once a chart is wanted; expressions are interpreted, since the page forbids to make code of texts. */
async function libraries() {
  loading ??= (async () => {
    await loaded("vendor/vega.min.js");
    await loaded("vendor/vega-lite.min.js");
    return (await import("./vendor/vega-interpreter.js")).expressionInterpreter;
  })();
  return loading;
}

/** Draw a chart into an element that stands in the page. */
export async function draw(place, fit, answer) {
  const { expressionInterpreter, vega, vegaLite } = { expressionInterpreter: await libraries(), ...globalThis };
  const made = getComputedStyle(document.documentElement);
  const colour = (name) => made.getPropertyValue(name).trim();
  const colours = {
    dim: colour("--dim"),
    line: colour("--line"),
    series: [1, 2, 3, 4, 5, 6].map((n) => colour(`--series-${n}`)),
  };
  const drawn = spec(fit, answer, colours, place.clientWidth);
  const compiled = vegaLite.compile(drawn, { logger: vega.logger(vega.Error) }).spec;
  place.replaceChildren();
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", t("chartOf", heading(answer.columns[fit.label])));
  const view = new vega.View(vega.parse(compiled, null, { ast: true }), {
    expr: expressionInterpreter,
    renderer: "svg",
    container: place,
    hover: true,
  });
  await view.runAsync();
}
