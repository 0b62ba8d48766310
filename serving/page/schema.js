// What there is to ask about: tables, columns, what they hold, and questions made of them.

import { button, el, fill } from "./dom.js";
import { t } from "./strings.js";

/** Return the browser of a schema; `use` gets a name that somebody picks. */
export function schemaView(schema, use) {
  const found = el("div.tables");
  const search = el("input", { type: "search", placeholder: t("find"), "aria-label": t("find"), spellcheck: "false" });
  const show = () => {
    const sought = search.value.trim().toLowerCase();
    const fits = (name) => name.toLowerCase().includes(sought);
    const some = schema.tables.filter((table) => fits(table.name) || table.columns.some((column) => fits(column.name)));
    fill(
      found,
      ...some.map((table) => tableView(table, use, sought && !fits(table.name) ? fits : () => true, Boolean(sought))),
    );
    if (!some.length) fill(found, el("p.dim", {}, t("nothingFound")));
  };
  search.addEventListener("input", show);
  show();
  return el("section.schema", { "aria-label": t("data") }, el("h2", {}, t("data")), search, found);
}

function tableView(table, use, fits, open) {
  const count = table.rows === null ? null : el("span.dim", {}, t("rowCount", table.rows));
  const columns = table.columns.filter((column) => fits(column.name)).map((column) => columnView(column, use));
  return el(
    "details",
    { open },
    el("summary", {}, el("span.name", {}, table.name), count),
    table.description && el("p.dim", {}, table.description),
    el("ul", {}, columns),
  );
}

function columnView(column, use) {
  const told = [
    column.primary && t("primary"),
    ...column.keys.map((key) => `→ ${key}`),
    column.stored_as,
    column.description,
  ].filter(Boolean);
  return el(
    "li",
    {},
    button(column.name, () => use(column.name), {
      kind: "name",
      "aria-label": t("askName", column.name),
      title: t("askName", column.name),
    }),
    el("span.kind", {}, column.kind ?? column.type),
    told.map((one) => el("div.dim", {}, one)),
    column.examples.length ? el("div.dim.cells", {}, column.examples.slice(0, 3).join(" · ")) : null,
    column.doubt && el("div.doubt", {}, column.doubt),
  );
}

/** Return questions that the schema gives reason for, one of a kind. */
export function examples(schema) {
  const tables = schema.tables
    .filter((table) => table.columns.length > 1)
    .sort((a, b) => (b.rows ?? 0) - (a.rows ?? 0));
  const plain = (name) => name.replaceAll("_", " ");
  const with_ = (kind) =>
    tables.flatMap((table) =>
      table.columns.filter((column) => column.kind === kind).map((column) => [table, column]),
    )[0];
  const found = [];
  const named = tables.find((table) => table.columns.some((column) => column.kind === "name")) ?? tables[0];
  if (named) found.push(t("howMany", plain(named.name)));
  const [category, amount, time] = ["category", "amount", "time"].map(with_);
  if (category) found.push(t("byCategory", plain(category[0].name), plain(category[1].name)));
  if (amount) found.push(t("average", plain(amount[1].name), plain(amount[0].name)));
  if (time) found.push(t("byMonth", plain(time[0].name)));
  return found;
}
