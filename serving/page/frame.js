// What stands around the turns: the bar above, data and conversations beside, the question below.

import { completed } from "./completion.js";
import { button, el, fill } from "./dom.js";
import { examples, schemaView } from "./schema.js";
import { at, schema, state } from "./state.js";
import { language, t } from "./strings.js";

/** Draw the bar; `open` gets a database, `switched` is called for the other language. */
export function drawTop(open, switched) {
  const names = state.about.databases.map((one) => one.name);
  const choices = names.map((name) => el("option", { value: name, selected: name === state.session.database }, name));
  const pick = { "aria-label": t("database"), on: { change: (event) => open(event.target.value) } };
  const menu = button("☰", () => showSide(!document.body.classList.contains("side")), {
    kind: "menu",
    "aria-label": t("browse"),
    "aria-expanded": String(document.body.classList.contains("side")),
    "aria-controls": "side",
  });
  const other = { kind: "quiet", title: t("languageTo"), lang: language() === "en" ? "zh" : "en" };
  fill(
    at("top"),
    menu,
    el("h1.brand", {}, "Querent"),
    names.length > 1 ? el("select", pick, choices) : el("span.dim", {}, names[0] ?? ""),
    el("span.gap"),
    button(t("language"), switched, other),
  );
}

/** Show what is beside the turns on a narrow screen, or hide it. */
export function showSide(open) {
  document.body.classList.toggle("side", open);
  document.querySelector(".menu").setAttribute("aria-expanded", String(open));
  if (open) at("side").querySelector("button, input, summary").focus();
}

/** Draw conversations and data; `acts` opens, begins and forgets conversations. */
export function drawSide(acts) {
  const away = (act) => () => {
    showSide(false);
    act();
  };
  const talks = state.sessions.all().map((one) => {
    const title = one.turns[0]?.question ?? t("untitled");
    const here = one.id === state.session.id ? "true" : null;
    const opens = button(
      title,
      away(() => acts.open(one)),
      { kind: "talk", "aria-current": here, title: one.database },
    );
    const forgets = { kind: "quiet", "aria-label": t("removeTalk", title) };
    return el(
      "li",
      {},
      opens,
      button("×", () => acts.forget(one), forgets),
    );
  });
  const begins = button(`+ ${t("newTalk")}`, away(acts.begin), { kind: "new" });
  const list = el("ul.talks", {}, talks);
  at("side").setAttribute("aria-label", t("browse"));
  fill(
    at("side"),
    el("section", { "aria-label": t("conversations") }, el("h2", {}, t("conversations")), begins, list),
    schema() ? browser() : el("p.dim", {}, t("loading")),
  );
}

const browsers = new WeakMap(); // of schemas, so that what somebody has opened stays open

function browser() {
  const known = browsers.get(schema());
  if (known?.language === language()) return known.view;
  const view = schemaView(schema(), use);
  browsers.set(schema(), { language: language(), view });
  return view;
}

/** Draw the question's box; `asked` gets what is asked. */
export function drawForm(asked) {
  const form = at("asking");
  form.setAttribute("aria-label", t("question"));
  const input = el("input", {
    id: "question",
    type: "text",
    maxlength: 2000,
    placeholder: t("placeholder"),
    "aria-label": t("question"),
    autocapitalize: "off",
    enterkeyhint: "send",
  });
  input.addEventListener("input", () => state.sessions.keepDraft(state.session, input.value));
  const list = completed(input, () => ({ schema: schema(), database: state.session.database }));
  const send = el("button.main", { type: "submit", disabled: state.busy }, t("ask"));
  fill(form, el("div.box", {}, input, list), send, el("p.hint", {}, t("hint")));
  form.onsubmit = (event) => {
    event.preventDefault();
    if (input.value.trim()) asked(input.value.trim());
  };
}

/** Return what stands where nothing was asked yet. */
export function welcome(asked) {
  const some = schema() ? examples(schema()) : [];
  const buttons = some.map((text) =>
    el(
      "li",
      {},
      button(text, () => asked(text), { kind: "example" }),
    ),
  );
  const told = some.length ? [el("h3", {}, t("examples")), el("ul", {}, buttons)] : null;
  return el("li.welcome", {}, el("h2", {}, t("welcome")), el("p", {}, t("welcomeMore")), told);
}

/** Put a name into the question where the caret is. */
function use(name) {
  const input = at("question");
  const gap = input.value && !/\s$/.test(input.value.slice(0, input.selectionStart)) ? " " : "";
  input.setRangeText(gap + name, input.selectionStart, input.selectionEnd, "end");
  input.dispatchEvent(new Event("input"));
  showSide(false);
  input.focus();
}
