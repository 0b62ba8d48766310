// What the page knows, and where it stands.

import { el, fill } from "./dom.js";
import { t } from "./strings.js";

/** Return an element of the page. */
export const at = (id) => document.getElementById(id);

/** What the server says of itself, the conversations of this browser, the one that is open, schemas by database. */
export const state = { about: null, sessions: null, session: null, schemas: new Map(), busy: false };

/** Return the schema that is asked about, undefined until it is there. */
export function schema() {
  return state.schemas.get(state.session.database);
}

/** Write a conversation to the browser's store. */
export function keep(session = state.session) {
  if (!state.sessions.save(session)) fill(at("notice"), el("p", {}, t("full")));
}
