// The page: what is shown, and what is done when somebody does something.

import { ApiError, ask, get, hasToken, keepToken, post } from "./api.js";
import { turnView } from "./answer.js";
import { completed } from "./completion.js";
import { button, el, fill, say } from "./dom.js";
import { schemaView, examples } from "./schema.js";
import { Sessions } from "./sessions.js";
import { language, switchLanguage, t } from "./strings.js";

const at = (id) => document.getElementById(id);
const state = { about: null, sessions: null, session: null, schemas: new Map(), busy: false };

/* ---- what there is ---- */

async function begin() {
  document.documentElement.lang = language();
  at("skip").textContent = t("skip");
  try {
    state.about = await get("about");
  } catch (error) {
    return error.status === 401 ? askToken() : notice(error, begin);
  }
  state.sessions = new Sessions(state.about.role);
  drawForm();
  return open(state.session ?? state.sessions.current(state.about.databases.map((one) => one.name)));
}

async function open(session) {
  state.session = session;
  state.sessions.open(session);
  clearNotice();
  drawAll();
  at("question").value = session.draft ?? "";
  at("question").focus();
  if (state.schemas.has(session.database)) return;
  try {
    state.schemas.set(session.database, await get(`schema?database=${encodeURIComponent(session.database)}`));
    if (state.session !== session) return;
    drawSide();
    if (!session.turns.length) drawTurns();
  } catch (error) {
    notice(error, () => open(session));
  }
}

function schema() {
  return state.schemas.get(state.session.database);
}

function keep(session = state.session) {
  if (!state.sessions.save(session)) fill(at("notice"), el("p", {}, t("full")));
}

/* ---- what is drawn ---- */

function drawAll() {
  drawTop();
  drawSide();
  drawTurns();
}

function drawTop() {
  const names = state.about.databases.map((one) => one.name);
  const pick = el("select", { "aria-label": t("database"), on: { change: (event) => open(state.sessions.begun(event.target.value)) } },
    names.map((name) => el("option", { value: name, selected: name === state.session.database }, name)));
  const menu = button("☰", () => showSide(!document.body.classList.contains("side")), { kind: "menu", "aria-label": t("browse"), "aria-expanded": "false", "aria-controls": "side" });
  const words = button(t("language"), () => {
    switchLanguage();
    begin();
  }, { kind: "quiet", "aria-label": t("languageTo"), lang: language() === "en" ? "zh" : "en" });
  fill(at("top"), menu, el("span.brand", {}, "Querent"), names.length > 1 ? pick : el("span.dim", {}, names[0] ?? ""), el("span.gap"), words);
}

function showSide(open) {
  document.body.classList.toggle("side", open);
  document.querySelector(".menu").setAttribute("aria-expanded", String(open));
  if (open) at("side").querySelector("button, input, summary").focus();
}

function drawSide() {
  const some = state.sessions.all();
  const talks = some.map((one) => {
    const title = one.turns[0]?.question ?? t("untitled");
    return el("li", {},
      button(title, () => { showSide(false); open(one); }, { kind: "talk", "aria-current": one.id === state.session.id ? "true" : null, title: one.database }),
      button("×", () => forgetTalk(one), { kind: "quiet", "aria-label": t("removeTalk", title) }));
  });
  const told = schema();
  at("side").setAttribute("aria-label", t("browse"));
  fill(at("side"),
    el("section", { "aria-label": t("conversations") }, el("h2", {}, t("conversations")),
      button(`+ ${t("newTalk")}`, () => { showSide(false); open(state.sessions.begun(state.session.database)); }, { kind: "new" }), el("ul.talks", {}, talks)),
    told ? schemaView(told, use) : el("p.dim", {}, t("loading")));
}

function drawTurns() {
  const { turns } = state.session;
  fill(at("turns"), ...(turns.length ? turns.map(drawn) : [welcome()]));
}

const views = new WeakMap(); // of turns, so that what has not changed is not drawn again

function drawn(turn) {
  const own = state.about.databases.find((one) => one.name === state.session.database) ?? {};
  const last = turn === state.session.turns.at(-1);
  const known = views.get(turn), about = [last, language(), turn.answer, turn.verdict, turn.kept];
  if (known && known.of.every((one, place) => one === about[place])) return known.view;
  const view = turnView(turn, actions(turn), { ...own, last });
  views.set(turn, { of: about, view });
  return view;
}

function welcome() {
  const told = schema();
  const some = told ? examples(told) : [];
  return el("li.welcome", {}, el("h1", {}, t("welcome")), el("p", {}, t("welcomeMore")),
    some.length ? [el("h2", {}, t("examples")), el("ul", {}, some.map((text) => el("li", {}, button(text, () => asked(text), { kind: "example" }))))] : null);
}

function drawForm() {
  const form = at("asking");
  const input = el("input", { id: "question", type: "text", maxlength: 2000, placeholder: t("placeholder"), "aria-label": t("question"), autocapitalize: "off", enterkeyhint: "send" });
  input.addEventListener("input", () => {
    state.session.draft = input.value;
    keep();
  });
  const list = completed(input, () => ({ schema: schema(), database: state.session.database }));
  const send = el("button.main", { type: "submit" }, t("ask"));
  fill(form, el("div.box", {}, input, list), send, el("p.hint", {}, t("hint")));
  form.onsubmit = (event) => {
    event.preventDefault();
    if (input.value.trim()) asked(input.value.trim());
  };
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

/* ---- what is asked ---- */

const talkBefore = () => state.session.turns.at(-1)?.conversation ?? null;

async function asked(question) {
  if (state.busy) return;
  const session = state.session;
  const turn = { question, answer: null, before: talkBefore() };
  session.draft = "";
  session.turns.push(turn);
  keep(session); // with the question as its draft, should the page be closed before the answer
  busy(true);
  clearNotice();
  drawTurns();
  at("question").value = "";
  scrollTo(at("turns").lastElementChild);
  const step = (text) => (at("turns").querySelector(".pending .step") ?? {}).textContent = text;
  try {
    const told = await ask({ question, conversation: turn.before, database: session.database }, (name, some) => {
      if (name === "queries") step(t("stepQueries"));
      else if (some.length) step(t("stepValues", some.join(", ")));
    });
    Object.assign(turn, { answer: told.answer, conversation: told.conversation });
    say(t("answered", question));
  } catch (error) {
    session.turns.pop();
    session.draft ||= question; // nothing typed is lost
    if (session === state.session) at("question").value = session.draft;
    notice(error, () => asked(question));
  }
  busy(false);
  done(session);
}

function done(session) {
  keep(session);
  if (session !== state.session) return;
  drawAll();
  at("question").focus();
  const last = at("turns").lastElementChild;
  if (session.turns.length) scrollTo(last);
}

function actions(turn) {
  const session = state.session;
  const on = (more) => ({ conversation: turn.conversation, database: session.database, ...more });
  const changed = (told, taken) => {
    const { alternatives, clarification } = turn.answer;
    Object.assign(turn, { answer: { alternatives, ...told.answer }, conversation: told.conversation, taken, verdict: null, kept: null });
    if (!turn.answer.alternatives.length) turn.answer.alternatives = alternatives;
    turn.answer.clarification = clarification;
    done(session);
  };
  const tried = async (act) => {
    try {
      clearNotice();
      await act();
      return null;
    } catch (error) {
      if (error.status === 422) return [error.message, error.hint].filter(Boolean).join(" · ");
      notice(error, () => tried(act));
      return null;
    }
  };
  return {
    choose: (place, of) => tried(async () => changed(await post("choose", on({ place, of })), "chosen")).then(trouble),
    correct: (sql) => tried(async () => changed(await post("correct", on({ sql })), "own")),
    judge: (verdict) => tried(async () => {
      await post("feedback", on({ verdict }));
      turn.verdict = verdict === "taken back" ? null : verdict;
      say(t({ right: "judgedRight", wrong: "judgedWrong", "taken back": "takenBack" }[verdict]));
      done(session);
    }).then(trouble),
    explain: async () => (await post("ask", { question: turn.question, conversation: turn.before, database: session.database, explain: true, rows: 1 })).explanation,
    again: () => asked(turn.question),
    forget: () => {
      if (state.busy) return;
      session.turns.pop();
      done(session);
    },
    changed: () => keep(session),
  };
}

function trouble(text) {
  if (text) fill(at("notice"), el("p", {}, text), button(t("close"), clearNotice, { kind: "quiet" }));
}

function forgetTalk(one) {
  state.sessions.remove(one);
  if (one.id !== state.session.id) return drawSide();
  state.session = null;
  return begin();
}

function busy(is) {
  state.busy = is;
  const send = document.querySelector("#asking .main");
  send.disabled = is;
  send.textContent = is ? t("asking") : t("ask");
  at("main").setAttribute("aria-busy", String(is));
}

function scrollTo(element) {
  element.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

/* ---- what goes wrong ---- */

const TROUBLES = { 0: "away", 429: "busy", 503: "gone", 504: "late", 500: "failed" };

function notice(error, again) {
  if (!(error instanceof ApiError)) throw error;
  if (error.status === 401) return askToken();
  const known = TROUBLES[error.status];
  const told = known ? t(known) : [error.message, error.hint].filter(Boolean).join(" · ");
  const retry = button(t("retry"), () => {
    clearNotice();
    again();
  }, { kind: "main" });
  return fill(at("notice"), el("p", {}, told), known && retry, button(t("close"), clearNotice, { kind: "quiet" }));
}

function clearNotice() {
  fill(at("notice"));
}

function askToken() {
  const problem = hasToken() ? t("tokenWrong") : t("tokenNeeded");
  const input = el("input", { type: "password", "aria-label": t("token"), autocomplete: "off", required: true });
  const form = el("form.token", {}, el("h1", {}, "Querent"), el("p", { role: "alert" }, problem), input, el("button.main", { type: "submit" }, t("enter")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    keepToken(input.value.trim());
    document.body.classList.remove("locked");
    begin();
  });
  document.body.classList.add("locked");
  fill(at("turns"), el("li", {}, form));
  input.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && document.body.classList.contains("side")) {
    showSide(false);
    document.querySelector(".menu").focus();
  }
  if (event.key === "/" && !event.target.closest?.("input, textarea, select")) {
    event.preventDefault();
    at("question")?.focus();
  }
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const turn of state.session?.turns ?? []) views.delete(turn); // charts have their colours from the page
  if (state.session) drawTurns();
});

begin();
