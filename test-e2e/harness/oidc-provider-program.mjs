// An OpenID Connect provider built on a third-party library, as a program over TLS: with a page for logins, the device
// flow, and refresh tokens that are valid once. Tests rotate keys, request tokens and set lifetimes on additional paths.
// Arguments: port, certificate, key.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { OAuth2Issuer, OAuth2Service } from "oauth2-mock-server";

const [port, certificate, key] = process.argv.slice(2);
const origin = `https://127.0.0.1:${port}`;
const issuer = new OAuth2Issuer();
issuer.url = origin;
const service = new OAuth2Service(issuer);
const { requestHandler } = service;
/** Number of requests to each of the provider's own paths, and the refresh tokens that were used and revoked. */
const asked = { discovery: 0, keys: 0, exchanged: 0, refreshed: [], revoked: [] };
/** Claims of the tokens that the token endpoint issues. */
let granted = {};
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** Users by authorization code and by refresh token. */
const users = new Map();
/** Methods of proof keys by authorization code; the library verifies a verifier, but does not ask for one. */
const proofs = new Map();
/** Members of the discovery document that a test changes. */
let published = {};
/** Requests of devices by device code: the code for the user, and the authorization code once the user has agreed. */
const devices = new Map();
let idTokenSeconds = 3600;

const textOf = async (request) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

const escaped = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** Answers with a form that asks for the name of the user, and keeps the parameters of the request. */
function askForUser(response, { action, parameters }) {
  const hidden = [...parameters].map(([n, v]) => `<input type="hidden" name="${escaped(n)}" value="${escaped(v)}">`);
  response.writeHead(200, { "content-type": "text/html" });
  response.end(
    `<form action="${action}">${hidden.join("")}<input id="user" name="login_user"><button>Log in</button></form>`,
  );
}

service.on("beforeAuthorizeRedirect", ({ url }, request) => {
  const user = new URL(request.url, origin).searchParams.get("login_user");
  if (user === "nobody") {
    url.searchParams.delete("code");
    url.searchParams.set("error", "access_denied");
    url.searchParams.set("error_description", "the user is not known");
  } else {
    const code = url.searchParams.get("code");
    users.set(code, user);
    const asking = new URL(request.url, origin).searchParams;
    if (asking.has("code_challenge")) proofs.set(code, asking.get("code_challenge_method"));
  }
});
service.on("beforeTokenSigning", ({ payload }, { body }) => {
  payload.sub = users.get(body.code ?? body.refresh_token) ?? payload.sub;
  payload.exp = Math.floor(Date.now() / 1000) + idTokenSeconds;
  Object.assign(payload, granted);
});
service.on("beforeResponse", (answer, { body: { code, refresh_token: token, code_verifier: verifier } }) => {
  if (proofs.has(code) && (proofs.get(code) !== "S256" || verifier === undefined)) {
    answer.statusCode = 400;
    answer.body = { error: "invalid_grant", error_description: "the code needs a verifier of the method S256" };
    return;
  }
  asked.exchanged += code === undefined ? 0 : 1;
  const isValid = code === undefined ? ![...asked.refreshed, ...asked.revoked].includes(token) : users.has(code);
  if (!isValid) {
    answer.statusCode = 400;
    const why = code === undefined ? "the refresh token was used before or revoked" : "the code is not valid";
    answer.body = { error: "invalid_grant", error_description: why };
    return;
  }
  if (code === undefined) asked.refreshed.push(token);
  users.set(answer.body.refresh_token, users.get(code ?? token));
  users.delete(code ?? token);
});

const tests = {
  /** Adds a key. */
  "/test/keys": async ({ alg, kid }) => issuer.keys.generate(alg, { kid }),
  /** Issues a token; claims that are null are omitted. */
  "/test/token": async ({ kid, claims = {}, header = {} }) => ({
    token: await issuer.buildToken({
      kid,
      scopesOrTransform: (head, payload) => {
        Object.assign(head, header);
        Object.assign(payload, claims);
        for (const name of Object.keys(payload)) if (payload[name] === null) delete payload[name];
      },
    }),
  }),
  /** Sets the lifetime of tokens that are issued from now on. */
  "/test/lifetime": async ({ seconds }) => {
    idTokenSeconds = seconds;
    return {};
  },
  /** Changes members of the discovery document. */
  "/test/published": async (members) => {
    published = members;
    return {};
  },
  "/test/asked": async () => asked,
  "/test/granted": async (claims) => {
    granted = claims;
    return {};
  },
};

/** Requests that the library does not answer itself. */
const own = {
  "/.well-known/openid-configuration": (_request, response) => {
    asked.discovery += 1;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        device_authorization_endpoint: `${origin}/device`,
        token_endpoint: `${origin}/token`,
        jwks_uri: `${origin}/jwks`,
        revocation_endpoint: `${origin}/revoke`,
        end_session_endpoint: `${origin}/endsession`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
        scopes_supported: ["openid", "offline_access"],
        code_challenge_methods_supported: ["S256"],
        ...published,
      }),
    );
  },
  "/authorize": (request, response, url) => {
    if (url.searchParams.has("login_user")) requestHandler(request, response);
    else askForUser(response, { action: "/authorize", parameters: url.searchParams });
  },
  "/device": async (request, response, url) => {
    if (request.method === "POST") {
      const code = randomUUID();
      const userCode = code.slice(0, 8).toUpperCase();
      devices.set(code, { userCode });
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({
          device_code: code,
          user_code: userCode,
          verification_uri: `${origin}/device`,
          verification_uri_complete: `${origin}/device?user_code=${userCode}`,
          expires_in: 60,
          interval: 1,
        }),
      );
    } else if (url.searchParams.has("login_user")) {
      const device = [...devices.values()].find(({ userCode }) => userCode === url.searchParams.get("user_code"));
      device.authorized = randomUUID();
      users.set(device.authorized, url.searchParams.get("login_user"));
      response.end("You may return to your device.");
    } else askForUser(response, { action: "/device", parameters: url.searchParams });
  },
  "/token": async (request, response) => {
    const body = Object.fromEntries(new URLSearchParams(await textOf(request)));
    if (body.grant_type === DEVICE_GRANT) {
      const authorized = devices.get(body.device_code)?.authorized;
      if (authorized === undefined) {
        response.writeHead(400, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: "authorization_pending" }));
        return;
      }
      devices.delete(body.device_code);
      Object.assign(body, { grant_type: "authorization_code", code: authorized });
    }
    // The parser of the library leaves bodies alone that were parsed.
    Object.assign(request, { body, _body: true });
    requestHandler(request, response);
  },
  "/revoke": async (request, response) => {
    const { token } = Object.fromEntries(new URLSearchParams(await textOf(request)));
    asked.revoked.push(token);
    response.writeHead(200).end();
  },
};

await issuer.keys.generate("RS256", { kid: "first" });
createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, async (request, response) => {
  const url = new URL(request.url, origin);
  const act = tests[url.pathname];
  try {
    if (act !== undefined) response.end(JSON.stringify(await act(JSON.parse((await textOf(request)) || "{}"))));
    else if (own[url.pathname] !== undefined) await own[url.pathname](request, response, url);
    else {
      if (url.pathname === "/jwks") asked.keys += 1;
      requestHandler(request, response);
    }
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}).listen(Number(port), "127.0.0.1");
