// What is asked of the server for a turn, and what becomes of the turn.

import { post } from "./api.js";
import { say } from "./dom.js";
import { clearNotice, notice, reason, trouble } from "./notices.js";
import { at, keep, state } from "./state.js";
import { t } from "./strings.js";

/** Return what asks a question, and what is done with a turn; `draw` draws the page anew. */
export function asking(draw) {
  async function asked(question) {
    if (state.busy) return;
    const { session } = state;
    const turn = { question, answer: null, before: session.turns.at(-1)?.conversation ?? null };
    session.turns.push(turn);
    state.sessions.keepDraft(session, question); // should the page be closed before the answer
    busy(true);
    clearNotice();
    at("question").value = "";
    draw();
    shown(at("turns").lastElementChild);
    try {
      const body = { question, conversation: turn.before, database: session.database };
      const told = await post("ask", body);
      Object.assign(turn, { answer: told.answer, conversation: told.conversation });
      if (session === state.session) state.sessions.keepDraft(session, at("question").value);
      say(t("answered", question));
    } catch (error) {
      session.turns.pop();
      if (session === state.session) at("question").value ||= question; // nothing typed is lost
      notice(error, () => asked(question));
    }
    busy(false);
    done(session);
  }

  function done(session, turn = session.turns.at(-1)) {
    keep(session);
    if (session !== state.session) return;
    draw();
    at("question").focus();
    if (turn) shown(view(turn));
  }

  function actions(turn) {
    const { session } = state;
    const on = (more) => ({ conversation: turn.conversation, database: session.database, ...more });

    async function tried(act) {
      clearNotice();
      try {
        await act();
      } catch (error) {
        if (error.status === 422) return reason(error);
        notice(error, () => tried(act));
      }
      return null;
    }

    async function replaced(path, more, taken) {
      const told = await post(path, on(more));
      // what else there was to choose stays, so that one may choose again
      const { alternatives, clarification } = turn.answer;
      took({ ...told, answer: { ...told.answer, alternatives, clarification } }, taken);
    }

    function took({ answer, conversation }, taken) {
      Object.assign(turn, { answer, conversation, taken, verdict: null, kept: null });
      done(session, turn);
    }

    /** Ask the turn's question once more, after the same turns as before: what was said of its answer counts. */
    function repeated(more) {
      return post("ask", on({ question: turn.question, conversation: turn.before, ...more }));
    }

    async function again() {
      if (state.busy) return;
      busy(true);
      trouble(await tried(async () => took(await repeated(), null)));
      busy(false);
    }

    async function judged(verdict) {
      await post("feedback", on({ verdict }));
      turn.verdict = verdict === "taken back" ? null : verdict;
      say(t({ right: "judgedRight", wrong: "judgedWrong", "taken back": "takenBack" }[verdict]));
      keep(session);
      if (session !== state.session) return;
      draw();
      const next = verdict === "wrong" ? ".edit, .readings .option, .judge button" : ".judge button";
      view(turn).querySelector(next).focus();
    }

    function forgotten() {
      if (state.busy) return;
      session.turns.pop();
      done(session);
    }

    return {
      choose: async (place, of) => trouble(await tried(() => replaced("choose", { place, of }, "chosen"))),
      correct: (sql) => tried(() => replaced("correct", { sql }, "own")),
      judge: async (verdict) => trouble(await tried(() => judged(verdict))),
      explain: async () => (await repeated({ explain: true, rows: 1 })).explanation,
      again,
      forget: forgotten,
      changed: () => keep(session),
    };
  }

  return { asked, actions };
}

function view(turn) {
  return at("turns").children[state.session.turns.indexOf(turn)];
}

function busy(is) {
  state.busy = is;
  const send = document.querySelector("#asking .main");
  send.disabled = is;
  send.textContent = is ? t("asking") : t("ask");
  at("main").setAttribute("aria-busy", String(is));
}

function shown(element) {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element.scrollIntoView({ block: "start", behavior: still ? "auto" : "smooth" });
}
