// Explorer of the published schema. It shows one group version at a time, because a browser cannot render a whole API at once.
// The token stays in the memory of this page and of the console, and goes to no other host. In the browser's storage, proxied pages could
// read it: they are of the same origin. A page that is loaded again asks the other pages for it, and says so when they have none.
import { keepAccessible } from "./accessible.js";
import { shareSignIn } from "./shared-sign-in.js";
import { endWatch, isWatch, watch } from "./watch.js";

const tokenField = document.getElementById("token");
const signOutButton = document.getElementById("sign-out");
const choice = document.getElementById("document");
const searchField = document.getElementById("search");
const explorer = document.getElementById("explorer");
const message = document.getElementById("message");
/** Frames for which the page waits until an operation is rendered. */
const FRAMES_MAX = 600;
const FIRST_SHOWN = "api/v1";
const NO_TOKEN = tokenField.placeholder;
/** Entry of the browser's history that had a token; it never holds the token itself. */
const HAD_TOKEN = { hadToken: true };

/** Resolves once all scripts of the page have run. */
const loaded = new Promise((resolve) => addEventListener("load", resolve));

let token = "";
/** Name of the sign-in, which all pages that share it know. */
let session = "";
/** Whether the server has accepted the token. */
let isAccepted = false;
/** Document → its address. */
let addresses = new Map();
/** The document that is shown, with its view. */
let shown = { name: "", ui: undefined };
/** The search once it was used. */
let search;

const sharing = shareSignIn({
  held: () => (token !== "" && isAccepted ? { token, session } : undefined),
  take(given) {
    if (token !== "" && session !== given.session) return;
    const isRenewal = token !== "";
    use(given.token, given.session);
    if (isRenewal) isAccepted = true;
    else orSay(listDocuments);
  },
  end(of) {
    if (token !== "" && of === session) forget("You have signed out in another page.");
  },
});

function use(given, of) {
  token = given;
  session = of;
  isAccepted = false;
  tokenField.value = "";
  tokenField.placeholder = token === "" ? NO_TOKEN : "in use";
  signOutButton.hidden = token === "";
  history.replaceState(token === "" ? null : HAD_TOKEN, "", location.pathname + location.search);
}

/** Forgets the token and what was read with it. */
function forget(words) {
  use("", "");
  addresses = new Map();
  shown = { name: "", ui: undefined };
  choice.replaceChildren();
  choice.disabled = true;
  searchField.disabled = true;
  explorer.replaceChildren();
  endWatch();
  search?.then(({ endSearch }) => endSearch());
  search = undefined;
  message.textContent = words;
}

/** Takes the token out of the fragment of the link that the server prints, and removes it from the address at once. */
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given === null) return false;
  use(given, crypto.randomUUID());
  return true;
}

/** Whether an earlier load of this page, in this entry of the history, had a token. */
const hasLostToken = () => token === "" && history.state?.hadToken === true;

function withAccess(request) {
  if (token !== "") request.headers = { ...request.headers, Authorization: `Bearer ${token}` };
  return request;
}

/** Prepares a request that is tried out: a watch is read event by event, because its answer has no end. */
function tried(request) {
  return isWatch(request) ? { ...withAccess(request), userFetch: watch } : withAccess(request);
}

async function read(address) {
  const answer = await fetch(address, withAccess({ headers: { Accept: "application/json" } }));
  if (answer.ok) return answer.json();
  const refused = answer.status === 401 || answer.status === 403;
  if (!refused) throw new Error(`${address}: ${answer.status}`);
  throw new Error(
    hasLostToken()
      ? "Reloading the page removed the token, which is only kept in memory: open the link of the server's last start, or enter a token."
      : "You are not authorized to read the schema: open the link of the server's last start, or enter a token.",
  );
}

async function showDocument(name = choice.value) {
  const address = addresses.get(name);
  if (address === undefined) return;
  choice.value = name;
  message.textContent = "";
  const spec = await read(address);
  await loaded;
  await new Promise((resolve) => {
    const ui = window.SwaggerUIBundle({
      spec,
      dom_id: "#explorer",
      docExpansion: "none",
      defaultModelsExpandDepth: 1,
      defaultModelExpandDepth: 2,
      validatorUrl: null,
      requestInterceptor: tried,
      onComplete: resolve,
    });
    shown = { name, ui };
  });
}

/** Shows one operation, opened and with the focus. */
async function showOperation({ document: name, tag, id }) {
  if (shown.name !== name) await showDocument(name);
  shown.ui.layoutActions.show(["operations-tag", tag], true);
  shown.ui.layoutActions.show(["operations", tag, id], true);
  // Long lists of operations are rendered as far as they are in view.
  shown.ui.layoutActions.scrollToVirtualizedOperation(["operations", tag, id]);
  const place = await elementOf(`operations-${tag}-${id}`);
  if (place === null) return;
  place.scrollIntoView();
  place.querySelector(".opblock-summary-control")?.focus();
}

/** Resolves with an element that is about to be rendered; null when it is not within some seconds. */
async function elementOf(id) {
  for (let frame = 0; frame < FRAMES_MAX; frame += 1) {
    const element = document.getElementById(id);
    if (element !== null) return element;
    await new Promise(requestAnimationFrame);
  }
  return null;
}

async function listDocuments() {
  const { paths } = await read("/openapi/v3");
  isAccepted = token !== "";
  sharing.give();
  const name = choice.value || FIRST_SHOWN;
  addresses = new Map(Object.entries(paths).map(([each, { serverRelativeURL }]) => [each, serverRelativeURL]));
  choice.replaceChildren(...[...addresses.keys()].map((each) => new Option(each, each, false, each === name)));
  choice.disabled = false;
  searchField.disabled = false;
  search = undefined;
  await showDocument();
}

/** Loads the search, and reads all documents, when the field is first used. */
function openSearch() {
  search ??= import("./search.js").then((module) => {
    module.startSearch({ addresses, read, show: (operation) => orSay(() => showOperation(operation)) });
    return module;
  });
}

function orSay(work) {
  work().catch((error) => {
    message.textContent = error.message;
  });
}

document.getElementById("access").addEventListener("submit", (event) => {
  event.preventDefault();
  const given = tokenField.value.trim();
  use(given, given === "" ? "" : crypto.randomUUID());
  orSay(listDocuments);
});
signOutButton.addEventListener("click", () => {
  sharing.end(session);
  forget("You have signed out.");
});
choice.addEventListener("change", () => orSay(showDocument));
searchField.addEventListener("focus", openSearch);
addEventListener("keydown", (event) => {
  const isText = event.target.closest?.("input, textarea, select, [contenteditable]") !== null;
  if (event.key !== "/" || isText || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  searchField.focus();
});
keepAccessible(explorer);
// The link opened where the page is open already.
addEventListener("hashchange", () => {
  if (takeToken()) orSay(listDocuments);
});
if (!takeToken()) sharing.ask();
orSay(listDocuments);
fetch("/ui/config.json")
  .then(({ ok }) => {
    document.getElementById("console").hidden = !ok;
  })
  .catch(() => {});
