// The explorer of the published schema: one group version at a time, for a whole API at once is more than a browser can show.
// The token stays in this page's memory and goes to no other host. In the browser's storage, proxied pages could read it: they are of
// the same origin. Hence a page that is loaded again has none.
const tokenField = document.getElementById("token");
const choice = document.getElementById("document");
const message = document.getElementById("message");
const FIRST_SHOWN = "api/v1";

/** All of the page's scripts have run. */
const loaded = new Promise((resolve) => addEventListener("load", resolve));

let token = "";
/** Document → its address. */
let addresses = new Map();

/** The link that the server prints brings a token in its fragment. It is taken out of the address at once. */
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given === null) return false;
  history.replaceState(null, "", location.pathname + location.search);
  token = given;
  tokenField.value = "";
  tokenField.placeholder = "as in the link";
  return true;
}

function withAccess(request) {
  if (token !== "") request.headers = { ...request.headers, Authorization: `Bearer ${token}` };
  return request;
}

async function read(address) {
  const answer = await fetch(address, withAccess({ headers: { Accept: "application/json" } }));
  if (answer.ok) return answer.json();
  const refused = answer.status === 401 || answer.status === 403;
  throw new Error(
    refused
      ? "The server does not let you read its schema: open the link of its last start, or enter a token."
      : `${address}: ${answer.status}`,
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
    requestInterceptor: withAccess,
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
  orSay(listDocuments);
});
choice.addEventListener("change", () => orSay(showDocument));
// The link opened where the page is open already.
addEventListener("hashchange", () => {
  if (takeToken()) orSay(listDocuments);
});
takeToken();
orSay(listDocuments);
