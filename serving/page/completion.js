// Suggestions under the question box: names of the schema and values of the database, as a combobox.

import { post } from "./api.js";
import { el, fill } from "./dom.js";
import { t } from "./strings.js";

const MOST = 8;
const WAIT = 120; // milliseconds after the last key
const BEFORE = 60; // characters that the server sees

/**
 * Give an input suggestions.
 * @param {HTMLInputElement} input
 * @param {() => object} here the schema and the name of its database
 */
export function completed(input, here) {
  const list = el("ul.suggestions", {
    id: "suggestions",
    role: "listbox",
    "aria-label": t("suggestions"),
    hidden: true,
  });
  let found = [],
    active = -1,
    timer = 0,
    asked = 0;
  for (const [name, value] of Object.entries({
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-controls": "suggestions",
    "aria-expanded": "false",
  })) {
    input.setAttribute(name, value);
  }

  function close() {
    clearTimeout(timer);
    asked += 1;
    found = [];
    active = -1;
    draw();
  }

  function draw() {
    list.hidden = !found.length;
    input.setAttribute("aria-expanded", String(Boolean(found.length)));
    fill(
      list,
      ...found.map((one, place) =>
        el(
          "li",
          {
            id: `suggestion-${place}`,
            role: "option",
            "aria-selected": String(place === active),
            on: {
              mousedown: (event) => {
                event.preventDefault();
                take(place);
              },
            },
          },
          el("span", {}, one.text),
          el("span.dim", {}, one.where),
        ),
      ),
    );
    if (active < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `suggestion-${active}`);
  }

  function take(place) {
    const one = found[place],
      caret = input.selectionStart;
    input.setRangeText(one.text, one.from, caret, "end");
    input.dispatchEvent(new Event("input", { bubbles: true }));
    close();
    input.focus();
  }

  async function look() {
    const caret = input.selectionStart,
      before = input.value.slice(0, caret);
    const typed = /[\p{L}\p{N}_.]+$/u.exec(before)?.[0] ?? "";
    const mine = (asked += 1);
    const { schema, database } = here();
    if (!typed || !schema || input.value.slice(caret).trim()) return close();
    const names = named(schema, typed.toLowerCase()).map((one) => ({ ...one, from: caret - typed.length }));
    const start = Math.max(0, caret - BEFORE);
    const told = await post("complete", { database, text: input.value.slice(start, caret) }).catch(() => ({
      values: [],
    }));
    if (mine !== asked || document.activeElement !== input) return null;
    const values = told.values.map((one) => ({
      text: one.value,
      where: `${one.table}.${one.column}`,
      from: start + one.start,
    }));
    found = [...names.slice(0, MOST / 2), ...values, ...names.slice(MOST / 2)].slice(0, MOST);
    active = -1;
    return draw();
  }

  input.addEventListener("input", (event) => {
    clearTimeout(timer);
    if (event.isComposing) return;
    timer = setTimeout(look, WAIT);
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && found.length) {
      event.stopPropagation();
      close();
    } else if (["ArrowDown", "ArrowUp"].includes(event.key) && found.length) {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      active = active < 0 ? (step > 0 ? 0 : found.length - 1) : active + step;
      if (active >= found.length) active = -1;
      draw();
    } else if (["Enter", "Tab"].includes(event.key) && active >= 0) {
      event.preventDefault();
      take(active);
    } else if (event.key === "Enter") {
      close();
    }
  });
  return list;
}

function named(schema, typed) {
  const found = schema.tables.flatMap((table) => [
    { text: table.name, where: "" },
    ...table.columns.map((column) => ({ text: column.name, where: table.name })),
  ]);
  const fits = (one) =>
    one.text
      .toLowerCase()
      .split("_")
      .concat(one.text.toLowerCase())
      .some((part) => part.startsWith(typed));
  const once = new Map(
    found.filter((one) => fits(one) && one.text.toLowerCase() !== typed).map((one) => [one.text, one]),
  );
  return typed.length > 1 ? [...once.values()].slice(0, MOST) : [];
}
