// Search of the explorer, which is loaded when it is first used. The results follow the text; the arrow keys choose one.
import { SearchIndex } from "./search-index.js";

const field = document.getElementById("search");
const list = document.getElementById("results");
const state = document.getElementById("search-state");

let index = new SearchIndex();
/** Ends the reading of documents for an index that is no longer wanted. */
let reading = new AbortController();
let found = [];
let active = -1;
let isOpen = false;
let open = () => {};

/** Reads all documents, and searches in those that are there. */
export async function startSearch({ addresses, read, show }) {
  reading.abort();
  reading = new AbortController();
  const { signal } = reading;
  index = new SearchIndex();
  open = show;
  // The field may have text already, typed while this module was loaded.
  isOpen = document.activeElement === field;
  let count = 0;
  let failed = 0;
  for (const [name, address] of addresses) {
    // A document that cannot be read, such as that of a server that does not answer, leaves the others as they are.
    const spec = await read(address).catch(() => undefined);
    if (signal.aborted) return;
    if (spec === undefined) failed += 1;
    else index.add(name, spec);
    count += 1;
    update(count < addresses.size ? `${count} of ${addresses.size} group versions are read. ` : "");
  }
  if (failed > 0) update(`${failed} group versions cannot be read. `);
}

/** Forgets all operations. */
export function endSearch() {
  reading.abort();
  index = new SearchIndex();
  field.value = "";
  update("");
}

function update(progress) {
  const chosen = found[active];
  const { found: now, count } = index.find(field.value);
  found = now;
  active = found.indexOf(chosen);
  list.replaceChildren(...found.map(option));
  mark();
  const isAsked = field.value.trim() !== "";
  reveal();
  const words = `${count} of ${index.operations.length} operations${count > found.length ? `, ${found.length} shown` : ""}`;
  state.textContent = `${progress}${isAsked ? words : ""}`;
}

/** Shows the list when it is open and has operations. */
function reveal() {
  list.hidden = !isOpen || found.length === 0;
  field.setAttribute("aria-expanded", String(!list.hidden));
}

function option(operation, at) {
  const { method, path, kind, description } = operation;
  const item = document.createElement("div");
  item.id = `result-${at}`;
  item.setAttribute("role", "option");
  const name = document.createElement("span");
  name.className = "name";
  name.textContent = `${method.toUpperCase()} ${path}`;
  const more = document.createElement("span");
  more.className = "more";
  more.textContent = [kind, description].filter((part) => part !== "").join(": ");
  item.append(name, more);
  item.addEventListener("click", () => choose(operation));
  return item;
}

function mark() {
  for (const [at, item] of [...list.children].entries()) item.setAttribute("aria-selected", String(at === active));
  if (active < 0) field.removeAttribute("aria-activedescendant");
  else {
    field.setAttribute("aria-activedescendant", `result-${active}`);
    list.children[active].scrollIntoView({ block: "nearest" });
  }
}

function choose(operation) {
  if (operation === undefined) return;
  close();
  open(operation);
}

function close() {
  isOpen = false;
  active = -1;
  reveal();
  mark();
}

field.addEventListener("input", () => {
  active = -1;
  found = [];
  isOpen = true;
  update("");
});
field.addEventListener("keydown", (event) => {
  const steps = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (steps !== undefined && found.length > 0) {
    event.preventDefault();
    isOpen = true;
    reveal();
    active = (active + steps + found.length) % found.length;
    mark();
  } else if (event.key === "Enter") {
    event.preventDefault();
    choose(found[Math.max(active, 0)]);
  } else if (event.key === "Escape") close();
});
