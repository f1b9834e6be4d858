// An OpenID Connect provider built on a third-party library, as a program over TLS. Tests rotate keys and request
// tokens on additional paths. Arguments: port, certificate, key.
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { OAuth2Issuer, OAuth2Service } from "oauth2-mock-server";

const [port, certificate, key] = process.argv.slice(2);
const origin = `https://127.0.0.1:${port}`;
const issuer = new OAuth2Issuer();
issuer.url = origin;
const service = new OAuth2Service(issuer);
const { requestHandler } = service;
/** Number of requests to each of the provider's own paths, and the refresh tokens that were used. */
const asked = { discovery: 0, keys: 0, refreshed: [] };
/** Claims of the tokens that the token endpoint issues. */
let granted = {};
service.on("beforeTokenSigning", (token) => Object.assign(token.payload, granted));
service.on("beforeResponse", (answer, { body }) => {
  if (body.grant_type !== "refresh_token") return;
  if (asked.refreshed.includes(body.refresh_token)) {
    answer.statusCode = 400;
    answer.body = { error: "invalid_grant", error_description: "the refresh token was used before" };
  } else asked.refreshed.push(body.refresh_token);
});

const bodyOf = async (request) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString() || "{}");
};

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
  "/test/asked": async () => asked,
  "/test/granted": async (claims) => {
    granted = claims;
    return {};
  },
};

await issuer.keys.generate("RS256", { kid: "first" });
createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, async (request, response) => {
  const act = tests[request.url];
  if (act === undefined) {
    if (request.url === "/.well-known/openid-configuration") asked.discovery += 1;
    if (request.url === "/jwks") asked.keys += 1;
    requestHandler(request, response);
    return;
  }
  try {
    response.end(JSON.stringify(await act(await bodyOf(request))));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}).listen(Number(port), "127.0.0.1");
