// Why a query is as it is: the values that the question names, the parts that it may need, and each word.

import { el } from "./dom.js";
import { foundBy, percent, t } from "./strings.js";

const PARTS = 8;

/** Return an explanation as it is shown. */
export function explanationView(told) {
  return el(
    "div.explained",
    {},
    el("p", {}, t("whyAnswerable"), ": ", el("b", {}, percent(told.answerable))),
    told.unlinked && el("p.reason", {}, t("whyUnlinked", told.unlinked.text, told.unlinked.nearest.join(", "))),
    told.values.length ? [el("h3", {}, t("whyValues")), el("ul", {}, told.values.map(value))] : null,
    el("h3", {}, t("whyParts")),
    el("ul.parts", {}, [...told.tables, ...told.columns, ...told.functions].slice(0, 3 * PARTS).map(part)),
    told.steps.length ? [el("h3", {}, t("whyWords")), words(told)] : null,
  );
}

function value(one) {
  const said = one.text && one.text !== one.value ? `“${one.text}” → ` : "";
  const where = one.columns.length ? ` · ${one.columns.join(", ")}` : "";
  const used = one.written && el("span.used", {}, t("used"));
  return el(
    "li",
    {},
    `${said}${one.value}${one.span ? ` (${one.span})` : ""}`,
    el("span.dim", {}, `${where} · ${foundBy(one.how)}`),
    used,
  );
}

function part(one) {
  const bar = el("meter", { min: 0, max: 1, value: one.probability, "aria-label": one.name });
  return el(
    one.written ? "li.written" : "li",
    {},
    bar,
    el("code", {}, one.name),
    el("span.dim", {}, percent(one.probability)),
    one.written && el("span.used", {}, t("used")),
  );
}

function words(told) {
  const values = new Map(told.values.flatMap((one) => one.slots.map((slot) => [`{${slot}}`, one.value])));
  const filled = (word) => word.replace(/\{\w+\}/g, (slot) => values.get(slot) ?? "…");
  const head = el(
    "tr",
    {},
    [t("word"), t("probability"), t("allowed")].map((name, place) =>
      el(place ? "th.number" : "th", { scope: "col" }, name),
    ),
  );
  const rows = told.steps
    .filter((step) => step.word !== "<eos>")
    .map((step) =>
      el(
        "tr",
        {},
        el(
          "td",
          {},
          step.implied && el("div.dim", {}, `${filled(step.implied)} (${t("implied")})`),
          el("code", {}, filled(step.word)),
        ),
        el("td.number", {}, percent(step.probability)),
        el("td.number", {}, step.allowed ?? ""),
      ),
    );
  return el(
    "div.scroll",
    { tabindex: 0, role: "region", "aria-label": t("whyWords") },
    el("table", {}, el("thead", {}, head), el("tbody", {}, rows)),
  );
}
