// The query of a turn: in colours, what it has of the one before, why it is so, and what else could be meant.

import { button, el, fill } from "./dom.js";
import { explanationView } from "./explanation.js";
import { highlighted } from "./sql.js";
import { percent, t } from "./strings.js";

/** Return the query of a turn as it is shown. */
export function queryView(turn, acts, may) {
  const { answer } = turn;
  const copy = button(
    t("copy"),
    async () => {
      await navigator.clipboard.writeText(answer.sql);
      copy.textContent = t("copied");
    },
    { kind: "quiet" },
  );
  const why = el("div.why");
  const asked = button(
    t("why"),
    async () => {
      if (why.childNodes.length) {
        asked.setAttribute("aria-expanded", "false");
        return fill(why);
      }
      asked.setAttribute("aria-expanded", "true");
      fill(why, el("p", {}, t("whyLoading")));
      const told = await acts.explain().catch((error) => error);
      return fill(why, told instanceof Error ? el("p.reason", {}, told.message || t("away")) : explanationView(told));
    },
    { kind: "quiet", "aria-expanded": "false" },
  );
  const code = el("pre", { tabindex: 0, "aria-label": t("query") }, highlighted(answer.sql));
  const editing = el("div.editing");
  const opens = button(t("edit"), () => editor(editing, answer.sql, acts, opens), { kind: "quiet.edit" });
  const edit = may.last && may.own_queries && answer.status !== "error" && opens;
  return el(
    "div.query",
    {},
    code,
    editing,
    el("p.tools", {}, !turn.taken && asked, edit, navigator.clipboard && copy),
    why,
  );
}

function editor(place, sql, acts, opener) {
  const text = el("textarea", { rows: 4, spellcheck: "false", "aria-label": t("query"), "data-editor": true });
  text.value = sql;
  const close = () => {
    fill(place);
    opener.focus();
  };
  const trouble = el("p.reason", { role: "alert" });
  const run = async () => {
    const error = await acts.correct(text.value);
    trouble.textContent = error ?? "";
  };
  text.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
  });
  fill(
    place,
    text,
    trouble,
    el("p.tools", {}, button(t("run"), run, { kind: "main" }), button(t("cancel"), close, { kind: "quiet" })),
  );
  text.focus();
}

/** Return what a query has of the one before it. */
export function carriedView(carried) {
  if (!carried) return null;
  if (carried.new_topic) return el("p.carried", {}, t("newTopic"));
  const parts = [
    ["still", carried.kept],
    ["now", carried.new],
    ["noLonger", carried.dropped],
  ];
  return el(
    "dl.carried",
    {},
    parts
      .filter(([, some]) => some.length)
      .map(([key, some]) =>
        el(
          "div",
          {},
          el("dt", {}, t(key)),
          some.map((part) => el(`dd.${key}`, {}, highlighted(part, { lines: false }))),
        ),
      ),
  );
}

/** Return the other queries that there were to choose; `open` where the answer was called wrong. */
export function readings(alternatives, acts, open) {
  return el(
    "details.readings",
    { open },
    el("summary", {}, `${t("readings")} (${alternatives.length})`),
    el(
      "ol",
      {},
      alternatives.map((one, place) =>
        el(
          "li",
          {},
          button(
            [el("span.share", {}, percent(one.confidence)), highlighted(one.sql)],
            () => acts.choose(place, "alternatives"),
            { kind: "option", title: t("take") },
          ),
        ),
      ),
    ),
  );
}
