// Making elements. Whatever comes from a database or a person goes in as text, never as markup.

/**
 * Return a new element.
 * @param {string} name tag, with classes behind dots: "div.card.wide"
 * @param {object} [told] attributes; "on" has listeners by event; true sets an attribute, false and null leave it out
 * @param {...(Node|string|number|null|undefined|false)} children texts and elements; nothing is left out
 */
export function el(name, told = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(" ");
  const { on = {}, ...attributes } = told;
  for (const [event, listener] of Object.entries(on)) made.addEventListener(event, listener);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(
    ...children.flat().filter((child) => child !== null && child !== undefined && child !== false && child !== ""),
  );
  return made;
}

/** Return a button that does something. */
export function button(label, act, told = {}) {
  const { kind = "", ...rest } = told;
  return el(`button${kind && `.${kind}`}`, { type: "button", on: { click: act }, ...rest }, label);
}

/** Put new children into an element in place of all that it has. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter(Boolean));
}

/** Let people who hear the page know what has happened. */
export function say(text) {
  document.getElementById("said").textContent = text;
}
