// Rows: sorted, by pages, and as a file.

import { button, el, fill } from "./dom.js";
import { language, t } from "./strings.js";

const PAGE = 15;
const SHORT = 24; // characters that stay on one line

/** Return whether all cells of a column that are there are numbers. */
export function isNumeric(rows, place) {
  const cells = rows.map((row) => row[place]).filter((cell) => cell !== null);
  return cells.length > 0 && cells.every((cell) => typeof cell === "number");
}

/** Return whether a column holds keys or years, which nobody reckons with. */
export function isLabel(name) {
  return /(^|[._\s])(id|key|code|year|zip)\)?$/i.test(name) || /_id\b/i.test(name);
}

/** Return the heading of a column: what its query calls it, without needless brackets. */
export function heading(name) {
  return /^\([^()]*(\([^()]*\)[^()]*)*\)$/.test(name) ? name.slice(1, -1) : name;
}

/** Return how many digits behind the point a column's numbers have, two at most. */
function digitsOf(rows, place) {
  const parts = rows.map((row) => String(row[place] ?? "").split(".")[1]?.length ?? 0);
  return Math.min(2, Math.max(0, ...parts));
}

/**
 * Return a cell as people read it.
 * @param {number} [digits] behind the point, of all numbers of its column
 */
export function shown(cell, name = "", digits = undefined) {
  if (cell === null) return "";
  if (typeof cell !== "number") return String(cell);
  const small = cell !== 0 && Math.abs(cell) < 0.01;
  const places = small
    ? { maximumSignificantDigits: 3 }
    : { minimumFractionDigits: digits ?? 0, maximumFractionDigits: 2 };
  const useGrouping = !isLabel(name) && Math.abs(cell) >= 10000;
  return new Intl.NumberFormat(language(), { useGrouping, ...places }).format(cell);
}

/** Return a table of an answer's rows. */
export function table(answer) {
  const { columns, rows } = answer;
  const numeric = columns.map((_, place) => isNumeric(rows, place));
  const digits = columns.map((_, place) => (numeric[place] ? digitsOf(rows, place) : 0));
  const state = { page: 0, by: -1, up: true };
  const head = el("tr"),
    body = el("tbody"),
    foot = el("div.pages");

  function sorted() {
    if (state.by < 0) return rows;
    const side = state.up ? 1 : -1;
    return [...rows].sort((a, b) => side * compared(a[state.by], b[state.by]));
  }

  function draw() {
    fill(
      head,
      ...columns.map((name, place) => {
        const by = state.by === place ? (state.up ? "ascending" : "descending") : "none";
        const mark = { ascending: " ↑", descending: " ↓", none: "" }[by];
        const sort = button(
          [heading(name), el("span.mark", { "aria-hidden": "true" }, mark)],
          () => {
            Object.assign(state, place !== state.by ? { by: place, up: true } : state.up ? { up: false } : { by: -1 });
            state.page = 0;
            draw();
            head.children[place].firstChild.focus();
          },
          { title: t("sort") },
        );
        return el(`th${numeric[place] ? ".number" : ""}`, { scope: "col", "aria-sort": by }, sort);
      }),
    );
    const part = sorted().slice(state.page * PAGE, (state.page + 1) * PAGE);
    fill(
      body,
      ...part.map((row) =>
        el(
          "tr",
          {},
          row.map((cell, place) => drawn(cell, numeric[place], columns[place], digits[place])),
        ),
      ),
    );
    fill(foot, ...pages(draw));
  }

  function pages() {
    const last = Math.ceil(rows.length / PAGE) - 1;
    const from = state.page * PAGE + 1;
    const told = el(
      "span",
      {},
      rows.length > PAGE
        ? t("rowsOf", from, Math.min(from + PAGE - 1, rows.length), rows.length)
        : t("rows", rows.length),
    );
    const more = answer.truncated && el("span.more", {}, t("more"));
    if (last < 1) return [told, more];
    const turn = (by, kind, label, mark) =>
      button(
        mark,
        () => {
          state.page += by;
          draw();
          (foot.querySelector(`.${kind}:enabled`) ?? foot.querySelector("button:enabled")).focus();
        },
        { kind, "aria-label": label, disabled: state.page + by < 0 || state.page + by > last },
      );
    return [turn(-1, "before", t("pageBefore"), "‹"), told, turn(1, "next", t("pageNext"), "›"), more];
  }

  draw();
  const scrolled = el(
    "div.scroll",
    { tabindex: 0, role: "region", "aria-label": t("result") },
    el("table", {}, el("thead", {}, head), body),
  );
  return el("div.rows", {}, scrolled, foot);
}

function drawn(cell, number, name, digits) {
  if (cell === null) return el("td.null", {}, "NULL");
  const text = shown(cell, name, digits);
  return el(number ? "td.number" : text.length <= SHORT ? "td.short" : "td", {}, text);
}

function compared(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), language(), { numeric: true });
}

/** Where a spreadsheet takes a formula to begin (OWASP, CSV injection): in many countries a semicolon parts its cells,
 * and then no quotes around a text keep it together. */
const FORMULA = /^(?=[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\n])(?=[ "]*[=+\-@＝＋－＠])/g;
const LARGE = /^-\d{16,}$/; // a number that the server tells as a text: JavaScript has none so large
// eslint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g; // what a terminal obeys; tabs and ends of lines stay

/** Return a text that no terminal obeys and, unless formulas are wanted, no spreadsheet runs. */
function harmless(text, formulas) {
  const code = (sign) => (sign === "\r" ? "\\r" : `\\x${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
  const shown = text.replaceAll("\r\n", "\n");
  return (formulas || LARGE.test(text) ? shown : shown.replace(FORMULA, "'")).replace(CONTROL, code);
}

/** Return rows as CSV (RFC 4180); texts get an apostrophe where a formula would begin, unless these are wanted. */
export function csv(columns, rows, formulas = false) {
  const cell = (one) => {
    const text = typeof one === "string" ? harmless(one, formulas) : String(one ?? "");
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** Have the browser save a text as a CSV file. */
export function download(text, name) {
  const place = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
  el("a", { href: place, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(place), 1000);
}
