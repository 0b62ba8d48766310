// The page: it begins here, and here its parts are put together.

import { turnView } from "./answer.js";
import { get } from "./api.js";
import { asking } from "./asking.js";
import { fill } from "./dom.js";
import { drawForm, drawSide, drawTop, showSide, welcome } from "./frame.js";
import { clearNotice, notice } from "./notices.js";
import { Sessions } from "./sessions.js";
import { at, schema, state } from "./state.js";
import { language, switchLanguage, t } from "./strings.js";

const { asked, actions } = asking(draw);
const views = new WeakMap(); // of turns, so that what has not changed is not drawn again

async function begin() {
  document.documentElement.lang = language();
  at("skip").textContent = t("skip");
  try {
    state.about = await get("about");
  } catch (error) {
    return notice(error, begin);
  }
  state.sessions = new Sessions(state.about.role);
  drawForm(asked);
  return open(state.session ?? state.sessions.current(state.about.databases.map((one) => one.name)));
}

async function open(session) {
  state.session = session;
  state.sessions.open(session);
  clearNotice();
  draw();
  at("question").value = state.sessions.draft(session);
  at("question").focus();
  if (schema()) return;
  try {
    state.schemas.set(session.database, await get(`schema?database=${encodeURIComponent(session.database)}`));
    if (state.session === session) draw();
  } catch (error) {
    notice(error, () => open(session));
  }
}

function draw() {
  const { turns, database } = state.session;
  drawTop((name) => open(state.sessions.begun(name)), other);
  drawSide({ open, begin: () => open(state.sessions.begun(database)), forget });
  fill(at("turns"), ...(turns.length ? turns.map(drawn) : [welcome(asked)]));
}

function drawn(turn) {
  const own = state.about.databases.find((one) => one.name === state.session.database) ?? {};
  const last = turn === state.session.turns.at(-1);
  const shown = [last, language(), turn.answer, turn.verdict, turn.kept];
  const known = views.get(turn);
  if (known && known.shown.every((one, place) => one === shown[place])) return known.view;
  const view = turnView(turn, actions(turn), { ...own, last });
  views.set(turn, { shown, view });
  return view;
}

function other() {
  switchLanguage();
  begin();
}

function forget(session) {
  state.sessions.remove(session);
  if (session.id === state.session.id) open(state.sessions.begun(session.database));
  else draw();
  at("side").querySelector(".new").focus();
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
  if (state.session) draw();
});

begin();
