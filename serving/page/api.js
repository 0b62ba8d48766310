// Asking the server.

const TOKEN = "querent.token";

/** What the server refused, or that it does not answer (status 0). */
export class ApiError extends Error {
  constructor(status, told = {}) {
    super(told.problem ?? "");
    this.status = status;
    this.hint = told.hint ?? "";
    this.field = told.field ?? "";
  }
}

/** Keep a token as long as the tab is open. */
export function keepToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

/** Return whether there is one. */
export function hasToken() {
  return sessionStorage.getItem(TOKEN) !== null;
}

async function sent(path, body) {
  const token = sessionStorage.getItem(TOKEN);
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  const told = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  if (body !== undefined) headers["content-type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { headers, credentials: "omit", cache: "no-store", ...told });
  } catch {
    throw new ApiError(0);
  }
  if (response.ok) return response;
  const refused = await response.json().catch(() => ({}));
  throw new ApiError(response.status, refused.error ?? {});
}

/** Get what a path has. */
export async function get(path) {
  return whole(await sent(path));
}

/** Send something and get what comes of it. */
export async function post(path, body) {
  return whole(await sent(path, body));
}

async function whole(response) {
  try {
    return await response.json();
  } catch {
    throw new ApiError(0);
  }
}
