// What is asked of the server for a turn, and what becomes of the turn.

import { ask, post } from "./api.js";
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
      const told = await ask(body, (name, some) => step(name, some));
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

  function done(session) {
    keep(session);
    if (session !== state.session) return;
    draw();
    at("question").focus();
    if (session.turns.length) shown(at("turns").lastElementChild);
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
      const answer = { ...told.answer, alternatives, clarification };
      Object.assign(turn, { answer, conversation: told.conversation, taken, verdict: null, kept: null });
      done(session);
    }

    async function judged(verdict) {
      await post("feedback", on({ verdict }));
      turn.verdict = verdict === "taken back" ? null : verdict;
      say(t({ right: "judgedRight", wrong: "judgedWrong", "taken back": "takenBack" }[verdict]));
      done(session);
    }

    async function explained() {
      const { question, before: conversation } = turn;
      const body = { question, conversation, database: session.database, explain: true, rows: 1 };
      return (await post("ask", body)).explanation;
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
      explain: explained,
      again: () => asked(turn.question),
      forget: forgotten,
      changed: () => keep(session),
    };
  }

  return { asked, actions };
}

function step(name, some) {
  const place = at("turns").querySelector(".pending .step");
  if (!place) return;
  if (name === "queries") place.textContent = t("stepQueries");
  else if (some.length) place.textContent = t("stepValues", some.join(", "));
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
