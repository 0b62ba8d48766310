// SQL in colours.

import { el } from "./dom.js";

const WORDS = new Set(
  (
    "select distinct from join left inner cross on where group by having order limit offset and or not in is null like between " +
    "exists case when then else end as asc desc union all except intersect with over partition using collate cast"
  ).split(" "),
);
const TOKEN = /('(?:[^']|'')*')|("(?:[^"]|"")*"|`[^`]*`)|(\b\d+(?:\.\d+)?\b)|([\p{L}_][\p{L}\p{N}_]*)|(\s+|.)/gsu;
const BREAKS =
  /\s+(?=(?:FROM|(?:LEFT |INNER |CROSS )?JOIN|WHERE|GROUP BY|HAVING|ORDER BY|LIMIT|UNION|EXCEPT|INTERSECT)\b)/g;

/** Return the pieces of a query with what each is: keyword, function, text, number, name, or nothing. */
export function pieces(sql) {
  const found = [];
  for (const match of sql.matchAll(TOKEN)) {
    const [piece, text, quoted, number, word] = match;
    const behind = sql.slice(match.index + piece.length);
    let kind = text ? "text" : number ? "number" : quoted ? "name" : "";
    if (word) kind = WORDS.has(word.toLowerCase()) ? "keyword" : /^\s*\(/.test(behind) ? "function" : "name";
    found.push([piece, kind]);
  }
  return found;
}

/** Return a query with a clause a line; texts in quotes stay as they are. */
export function laidOut(sql) {
  let depth = 0;
  return sql
    .split(/('(?:[^']|'')*'|[()])/)
    .map((part) => {
      if (part === "(") depth += 1;
      if (part === ")") depth -= 1;
      return depth || part.startsWith("'") ? part : part.replace(BREAKS, "\n");
    })
    .join("");
}

/** Return a query as code in colours. */
export function highlighted(sql, { lines = true } = {}) {
  const parts = pieces(lines ? laidOut(sql) : sql);
  return el(
    "code.sql",
    {},
    parts.map(([piece, kind]) => (kind ? el(`span.${kind}`, {}, piece) : piece)),
  );
}
