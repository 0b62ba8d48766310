// Conversations, kept in this browser alone: the server has none.

const ROWS = 200; // of an answer are kept; the room is small

/** A store of one role's conversations; each stands by itself, so that two tabs do not write over one another. */
export class Sessions {
  constructor(role) {
    this.prefix = `querent.session.${role}.`;
    this.drafts = `querent.draft.${role}.`;
    this.here = `querent.here.${role}`;
  }

  /** Return all, the latest first. */
  all() {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix));
    return keys
      .map((key) => read(localStorage.getItem(key)))
      .filter(Boolean)
      .sort((a, b) => b.at - a.at);
  }

  /** Return the one of this tab, else the latest, else a new one. */
  current(databases) {
    const known = this.all().filter((one) => databases.includes(one.database));
    const here = JSON.parse(sessionStorage.getItem(this.here));
    if (here && databases.includes(here.database))
      return known.find((one) => one.id === here.id) ?? { ...here, at: Date.now(), turns: [] };
    return known[0] ?? this.begun(databases[0]);
  }

  /** Return a new one. */
  begun(database) {
    return { id: crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`, database, at: Date.now(), turns: [] };
  }

  /** Open one in this tab. */
  open(session) {
    sessionStorage.setItem(this.here, JSON.stringify({ id: session.id, database: session.database }));
  }

  /** Write one; where there is no room, the oldest go. */
  save(session) {
    const turns = session.turns.filter((turn) => turn.answer).map(short);
    if (!turns.length) {
      localStorage.removeItem(this.prefix + session.id);
      return true;
    }
    session.at = Date.now();
    const text = JSON.stringify({ ...session, turns });
    for (;;) {
      try {
        localStorage.setItem(this.prefix + session.id, text);
        return true;
      } catch {
        const oldest = this.all()
          .filter((one) => one.id !== session.id)
          .pop();
        if (!oldest) return false;
        this.remove(oldest);
      }
    }
  }

  /** Return what was typed and not yet answered. */
  draft(session) {
    return localStorage.getItem(this.drafts + session.id) ?? "";
  }

  /** Keep what is typed, so that a page that is closed has it when it is opened again. */
  keepDraft(session, text) {
    try {
      if (text) localStorage.setItem(this.drafts + session.id, text);
      else localStorage.removeItem(this.drafts + session.id);
    } catch {
      // no room: it stands in the box all the same
    }
  }

  /** Forget one. */
  remove(session) {
    this.keepDraft(session, "");
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
