// The only place that makes elements. What models, tools and files say goes in as text.

/** An element; `attrs` may hold `class`, `on…` handlers and any attribute. */
export function h(tag, attrs, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  put(element, children);
  return element;
}

/** Appends children: elements, texts, lists of them, and nothing. */
export function put(element, children) {
  for (const child of [children].flat(9)) {
    if (child === undefined || child === null || child === false || child === '') continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/** Replaces what is in an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  return put(element, children);
}

export const byId = (id) => document.getElementById(id);

/** Tells people who listen instead of looking. */
export function say(text) {
  const live = byId('said');
  if (live) live.textContent = text;
}

/** Calls `draw` at most once a frame. */
export function perFrame(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; draw(); });
  };
}

/** Calls `act` once things have been quiet for a moment. */
export function soon(act, ms) {
  let timer = 0;
  return () => { clearTimeout(timer); timer = setTimeout(act, ms); };
}
