// What goes wrong, and what can be done then.

import { ApiError, hasToken, keepToken } from "./api.js";
import { button, el, fill } from "./dom.js";
import { at } from "./state.js";
import { t } from "./strings.js";

const TROUBLES = { 0: "away", 429: "busy", 503: "gone", 504: "late", 500: "failed" };

/** Say what went wrong; `again` tries once more. */
export function notice(error, again) {
  if (!(error instanceof ApiError)) throw error;
  if (error.status === 401) return askToken(again);
  const known = TROUBLES[error.status];
  const retry = () => {
    clearNotice();
    again();
  };
  return fill(
    at("notice"),
    el("p", {}, known ? t(known) : reason(error)),
    known && button(t("retry"), retry, { kind: "main" }),
    closing(),
  );
}

/** Return why the server refused something. */
export function reason(error) {
  return [error.message, error.hint].filter(Boolean).join(" · ");
}

/** Say something that asking again would not mend. */
export function trouble(text) {
  if (text) fill(at("notice"), el("p", {}, text), closing());
}

function closing() {
  const close = () => {
    clearNotice();
    at("question").focus();
  };
  return button(t("close"), close, { kind: "quiet" });
}

/** Say nothing any more. */
export function clearNotice() {
  fill(at("notice"));
}

/** Ask for a token; `enter` goes on with it. */
export function askToken(enter) {
  const problem = hasToken() ? t("tokenWrong") : t("tokenNeeded");
  const input = el("input", { type: "password", "aria-label": t("token"), autocomplete: "off", required: true });
  const told = [el("h2", {}, "Querent"), el("p", { role: "alert" }, problem), input];
  const form = el("form.token", {}, told, el("button.main", { type: "submit" }, t("enter")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    keepToken(input.value.trim());
    document.body.classList.remove("locked");
    enter();
  });
  document.body.classList.add("locked");
  fill(at("turns"), el("li", {}, form));
  input.focus();
}
