// A turn: the question, how sure its answer is, the rows, the query, and what may be done with them.

import { draw, fitting } from "./chart.js";
import { button, el, fill } from "./dom.js";
import { carriedView, queryView, readings } from "./query.js";
import { percent, t } from "./strings.js";
import { csv, download, shown, table } from "./table.js";

const MARKS = { ok: "✓", unsure: "?", no_answer: "–", error: "!", own: "✓" };

/**
 * Return a turn as it is shown.
 * @param {object} turn question, answer, conversation before and after it
 * @param {object} acts what may be done: choose, correct, judge, explain, again, forget, changed
 * @param {object} may what this role may: last (is it the last turn?), own_queries, feedback
 */
export function turnView(turn, acts, may) {
  const heading = el("h2", {}, turn.question);
  if (!turn.answer) return el("li.turn.pending", {}, heading, el("p.step", { role: "status" }, t("steps")));
  const { answer } = turn;
  return el(
    "li.turn",
    { "data-status": answer.status },
    heading,
    statusLine(turn),
    carriedView(answer.carried),
    may.last && answer.clarification && !turn.taken ? clarification(answer.clarification, acts) : null,
    answer.columns.length ? rowsView(turn, acts) : null,
    turn.kept && el("p.note", {}, t("keptRows", turn.kept)),
    answer.sql && queryView(turn, acts, may),
    notes(answer),
    may.last && answer.alternatives.length ? readings(answer.alternatives, acts, turn.verdict === "wrong") : null,
    footer(turn, acts, may),
  );
}

function statusLine(turn) {
  const { answer } = turn;
  const status = turn.taken ? "own" : answer.status;
  const word = turn.taken ? t(turn.taken) : t(answer.status);
  const sure =
    !turn.taken &&
    ["ok", "unsure"].includes(answer.status) &&
    el("span.share", {}, t("confidence", percent(answer.confidence)));
  const mark = el("span.mark", { "aria-hidden": "true" }, MARKS[status]);
  return el(
    "p.status",
    {},
    el(`span.badge.${status}`, {}, mark, word),
    sure,
    answer.reason && el("span.reason", {}, answer.reason),
  );
}

function clarification(asked, acts) {
  const options = asked.options.map((option, place) =>
    el(
      "li",
      {},
      button(
        [
          el("span.label", {}, option.label),
          option.rows.length
            ? el("span.first", {}, option.rows.map((row) => row.map((cell) => shown(cell)).join(", ")).join(" · "))
            : null,
        ],
        () => acts.choose(place, "options"),
        { kind: "option", title: option.sql },
      ),
    ),
  );
  return el("section.clarify", { "aria-label": asked.question }, el("h3", {}, asked.question), el("ol", {}, options));
}

function rowsView(turn, acts) {
  const { answer } = turn;
  if (!answer.rows.length) return el("p.empty", {}, t("noRows"));
  if (answer.rows.length === 1 && answer.columns.length === 1 && !answer.truncated) {
    return el("p.figure", {}, shown(answer.rows[0][0], answer.columns[0]) || "NULL");
  }
  const fit = fitting(answer);
  if (!fit) return table(answer);
  const body = el("div.result");
  const views = el("div.views", { role: "group", "aria-label": t("shownAs") });
  const show = (view) => {
    turn.view = view;
    for (const one of views.children) one.setAttribute("aria-pressed", String(one.dataset.view === view));
    if (view === "table") return fill(body, table(answer));
    const place = el("div.chart", {}, t("loading"));
    fill(body, place);
    return whenShown(place, () => draw(place, fit, answer).catch(() => show("table")));
  };
  const toggle = (view, key) =>
    button(
      t(key),
      () => {
        show(view);
        acts.changed();
      },
      { "data-view": view },
    );
  fill(views, toggle("chart", "chart"), toggle("table", "tableView"));
  show(turn.view ?? "chart");
  return el("div", {}, views, body);
}

/** A chart takes the width of its place, which it has once it stands in the page. */
function whenShown(place, act) {
  requestAnimationFrame(() => (place.isConnected ? act() : null));
}

function notes(answer) {
  const told = [
    ...answer.notes,
    ...(answer.like ? [t("like", answer.like)] : []),
    ...answer.knowledge.map((one) => `${one.name} = ${one.formula}: ${one.grounded}`),
    ...answer.unread.map((piece) => t("unread", piece)),
  ];
  return told.length
    ? el(
        "ul.notes",
        {},
        told.map((one) => el("li", {}, one)),
      )
    : null;
}

function footer(turn, acts, may) {
  const { answer } = turn;
  const tools = [];
  const others = may.last && answer.alternatives.length > 0;
  if (may.feedback && answer.sql && answer.status !== "error") tools.push(judging(turn, acts, others));
  if (answer.rows.length) {
    const texts = [false, true].map((formulas) => csv(answer.columns, answer.rows, formulas));
    const saving = (label, text) => button(t(label), () => download(text, "answer.csv"), { kind: "quiet" });
    tools.push(saving("csv", texts[0]));
    if (texts[0] !== texts[1]) tools.push(saving("csvFormulas", texts[1]));
  }
  tools.push(button(t("again"), acts.again, { kind: "quiet" }));
  if (may.last) tools.push(button(t("forget"), acts.forget, { kind: "quiet" }));
  return el("footer.tools", {}, tools);
}

function judging(turn, acts, others) {
  if (turn.verdict) {
    const told = turn.verdict === "right" ? t("judgedRight") : t(others ? "judgedWrong" : "judgedWrongAlone");
    return el(
      "span.judge",
      {},
      el("span", {}, told),
      button(t("takeBack"), () => acts.judge("taken back"), { kind: "quiet" }),
    );
  }
  return el(
    "span.judge",
    { role: "group", "aria-label": t("judge") },
    el("span", {}, t("judge")),
    button(t("right"), () => acts.judge("right"), { kind: "quiet" }),
    button(t("wrong"), () => acts.judge("wrong"), { kind: "quiet" }),
  );
}
