// Explorer of the published schema. It shows one group version at a time, because a browser cannot render a whole API at once.
// The token stays in this page's memory and goes to no other host. In the browser's storage, proxied pages could read it: they are of
// the same origin. A page that is loaded again therefore has no token, and says so.
import { isWatch, watch } from "./watch.js";

const tokenField = document.getElementById("token");
const choice = document.getElementById("document");
const message = document.getElementById("message");
const FIRST_SHOWN = "api/v1";
/** Entry of the browser's history that had a token; it never holds the token itself. */
const HAD_TOKEN = { hadToken: true };

/** Resolves once all scripts of the page have run. */
const loaded = new Promise((resolve) => addEventListener("load", resolve));

let token = "";
/** Document → its address. */
let addresses = new Map();

/** Takes the token out of the fragment of the link that the server prints, and removes it from the address at once. */
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given === null) return false;
  history.replaceState(HAD_TOKEN, "", location.pathname + location.search);
  token = given;
  tokenField.value = "";
  tokenField.placeholder = "as in the link";
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

async function showDocument() {
  const address = addresses.get(choice.value);
  if (address === undefined) return;
  message.textContent = "";
  const spec = await read(address);
  await loaded;
  window.SwaggerUIBundle({
    spec,
    dom_id: "#explorer",
    docExpansion: "none",
    defaultModelsExpandDepth: 1,
    defaultModelExpandDepth: 2,
    validatorUrl: null,
    requestInterceptor: tried,
  });
}

async function listDocuments() {
  const { paths } = await read("/openapi/v3");
  const shown = choice.value || FIRST_SHOWN;
  addresses = new Map(Object.entries(paths).map(([name, { serverRelativeURL }]) => [name, serverRelativeURL]));
  choice.replaceChildren(...[...addresses.keys()].map((name) => new Option(name, name, false, name === shown)));
  choice.disabled = false;
  await showDocument();
}

function orSay(work) {
  work().catch((error) => {
    message.textContent = error.message;
  });
}

document.getElementById("access").addEventListener("submit", (event) => {
  event.preventDefault();
  token = tokenField.value.trim();
  history.replaceState(token === "" ? null : HAD_TOKEN, "");
  orSay(listDocuments);
});
choice.addEventListener("change", () => orSay(showDocument));
// The link opened where the page is open already.
addEventListener("hashchange", () => {
  if (takeToken()) orSay(listDocuments);
});
takeToken();
orSay(listDocuments);
