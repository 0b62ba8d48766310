// Conversations, kept in this browser alone: the server has none.

const ROWS = 200; // of an answer are kept; the room is small

/** A store of one role's conversations; each stands by itself, so that two tabs do not write over one another. */
export class Sessions {
  constructor(role) {
    this.prefix = `querent.session.${role}.`;
    this.here = `querent.here.${role}`;
  }

  /** Return all, the latest first. */
  all() {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix));
    return keys.map((key) => read(localStorage.getItem(key))).filter(Boolean).sort((a, b) => b.at - a.at);
  }

  /** Return the one of this tab, else the latest, else a new one. */
  current(databases) {
    const known = this.all().filter((one) => databases.includes(one.database));
    const here = sessionStorage.getItem(this.here);
    return known.find((one) => one.id === here) ?? known[0] ?? this.begun(databases[0]);
  }

  /** Return a new one. */
  begun(database) {
    return { id: crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`, database, at: Date.now(), turns: [], draft: "" };
  }

  /** Open one in this tab. */
  open(session) {
    sessionStorage.setItem(this.here, session.id);
  }

  /** Write one; where there is no room, the oldest go. */
  save(session) {
    const asked = session.turns.find((turn) => !turn.answer); // still without an answer: to be asked again
    const kept = { ...session, turns: session.turns.filter((turn) => turn.answer).map(short), draft: session.draft || asked?.question || "" };
    if (!kept.turns.length && !kept.draft) return true;
    session.at = kept.at = Date.now();
    const text = JSON.stringify(kept);
    for (;;) {
      try {
        localStorage.setItem(this.prefix + session.id, text);
        return true;
      } catch {
        const oldest = this.all().filter((one) => one.id !== session.id).pop();
        if (!oldest) return false;
        this.remove(oldest);
      }
    }
  }

  /** Forget one. */
  remove(session) {
    localStorage.removeItem(this.prefix + session.id);
  }
}

function short(turn) {
  if (!turn.answer || turn.answer.rows.length <= ROWS) return turn;
  return { ...turn, kept: ROWS, answer: { ...turn.answer, rows: turn.answer.rows.slice(0, ROWS), truncated: true } };
}

function read(text) {
  try {
    const told = JSON.parse(text);
    return told && Array.isArray(told.turns) && typeof told.id === "string" ? told : null;
  } catch {
    return null;
  }
}
