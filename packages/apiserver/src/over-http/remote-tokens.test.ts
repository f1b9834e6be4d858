// Tokens of external issuers and of a token review webhook, including faulty ones.
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import { parseSigningKey, publishedKey, type SigningKey, signToken } from "@orch/auth";
import { type Logger, SILENT } from "@orch/observability";
import { type RunningServer, type StartOptions, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";
import { endless, type RemoteAnswer, type RemoteService, remoteService } from "../testing/remote-service";

const REVIEWS = "/apis/authentication.orch.io/v1/tokenreviews";
const folder = mkdtempSync(join(tmpdir(), "remote-tokens-"));
let files = 0;
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Replaces a file atomically. */
function write(text: string, path = join(folder, `file-${files++}`)): string {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  return path;
}

const key: SigningKey = parseSigningKey(
  generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" }) as string,
);

interface Issuer extends RemoteService {
  /** Answers requests for the key set. */
  keys: RemoteAnswer;
  token(claims?: object): Promise<string>;
}

const KEYS: RemoteAnswer = (_request, _body, response) => response.end(JSON.stringify({ keys: [publishedKey(key)] }));

async function issuer(keys: RemoteAnswer = KEYS): Promise<Issuer> {
  const service = await remoteService((request, body, response) => {
    if (request.url === "/keys") return made.keys(request, body, response);
    response.end(JSON.stringify({ issuer: made.url, jwks_uri: `${made.url}/keys` }));
  });
  ends.push(() => service.close());
  const made: Issuer = Object.assign(service, {
    keys,
    token: (claims: object = {}) =>
      signToken(
        { iss: service.url, aud: "orch", sub: "ann", exp: Math.floor(Date.now() / 1000) + 600, ...claims },
        key,
      ),
  });
  return made;
}

interface Whole {
  readonly server: RunningServer;
  readonly admin: ApiClient;
  readonly log: string[];
  /** Sends a request with a token; "": without one. Returns the status code. */
  code(token: string, path?: string): Promise<number>;
  user(token: string): Promise<object>;
  /** Sum of a metric's series that begin with this text. */
  counted(line: string): Promise<number>;
  /** Lines of the series of a metric. */
  series(name: string): Promise<readonly string[]>;
}

async function start(flags: NonNullable<StartOptions["flags"]>): Promise<Whole> {
  const log: string[] = [];
  const told = (message: string, fields?: object) => void log.push(`${message} ${JSON.stringify(fields ?? {})}`);
  const logger: Logger = { ...SILENT, logsRequests: true, access: told, error: told, warn: told, info: told };
  const server = await startServer({ flags, logger });
  ends.push(() => server.stop());
  const [admin, anybody] = [new ApiClient(server, server.admin), new ApiClient(server)];
  ends.push(
    () => admin.close(),
    () => anybody.close(),
  );
  const code = async (token: string, path = "/api") =>
    (await anybody.get(path, token === "" ? {} : { headers: { authorization: `Bearer ${token}` } })).code;
  return {
    server,
    admin,
    log,
    code,
    async user(token) {
      const { json } = await admin.post(REVIEWS, { spec: { token } });
      return (json.status as unknown as { user: object }).user;
    },
    async series(name) {
      return (await admin.get("/metrics")).text.split("\n").filter((each) => each.startsWith(`${name}{`));
    },
    async counted(line) {
      const { text } = await admin.get("/metrics");
      const lines = text.split("\n").filter((each) => each.startsWith(line));
      return lines.reduce((sum, each) => sum + Number(each.split(" ").pop()), 0);
    },
  };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
}

const configuration = (jwt: readonly object[], more: object = {}) =>
  JSON.stringify({ apiVersion: "apiserver.config.orch.io/v1", kind: "AuthenticationConfiguration", jwt, ...more });

const trusting = ({ url, ca }: RemoteService, more: object = {}) => ({
  issuer: { url, certificateAuthority: ca, audiences: ["orch"] },
  claimMappings: { username: { claim: "sub", prefix: "" } },
  ...more,
});

describe("a configuration file of issuers", () => {
  test("says who is who with expressions, of several issuers, and is read again", async () => {
    const [one, other] = [await issuer(), await issuer()];
    const mapped = trusting(one, {
      claimValidationRules: [
        { expression: "claims.exp - claims.iat <= 3600", message: "too long" },
        { claim: "hd", requiredValue: "example.com" },
      ],
      claimMappings: {
        username: { expression: "claims.email_verified ? claims.email : 'nobody:' + claims.sub" },
        groups: { expression: "claims.roles.split(',').map(role, 'one:' + role)" },
        uid: { claim: "oid" },
        extra: [{ key: "example.com/tenant", valueExpression: "claims.?tenant.orValue('none')" }],
      },
      userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: "reserved" }],
    });
    const file = write(configuration([mapped, trusting(other)]));
    const { code, user, counted, series, log } = await start({
      "authentication-config": file,
      "emulated-release": "1.36",
    });
    const INFO = "apiserver_authentication_config_controller_last_config_info";
    const now = Math.floor(Date.now() / 1000);
    const claims = { email: "a@b.c", email_verified: true, roles: "x,y", oid: "7", hd: "example.com", iat: now };
    const token = await one.token(claims);
    await until(async () => (await code(token)) === 200);
    expect(await user(token)).toEqual({
      username: "a@b.c",
      uid: "7",
      groups: ["one:x", "one:y", "system:authenticated"],
      extra: { "example.com/tenant": ["none"] },
    });
    const far = await other.token();
    await until(async () => (await code(far)) === 200);
    for (const wrong of [
      { ...claims, iat: now - 36_000 },
      { ...claims, iat: "x" },
      { ...claims, hd: "example.org" },
      { ...claims, email: "system:admin" },
      { ...claims, roles: ["x"] },
      { ...claims, oid: undefined },
      { ...claims, email_verified: "true" },
    ])
      expect(await code(await one.token(wrong))).toBe(401);
    expect(await counted('apiserver_authentication_jwt_authenticator_latency_seconds_count{result="failure"')).toBe(7);
    expect(await counted('authentication_attempts{result="error"}')).toBeGreaterThanOrEqual(7);

    const info = await series(INFO);
    expect(info).toEqual([expect.stringMatching(/\{apiserver_id_hash="sha256:\w{64}",hash="sha256:\w{64}"\} 1$/)]);
    const keySets = await series("apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info");
    expect(keySets).toHaveLength(2);
    expect(
      await counted('apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds{result="success"'),
    ).toBeGreaterThan(0);
    write("jwt: [{issuer: {url: http://x}}]", file);
    await until(async () => (await counted("apiserver_configuration_reloads_total{")) === 1);
    expect([await code(token), await code(far)]).toEqual([200, 200]);
    await one.close(); // what is known of its keys stays
    write(configuration([mapped]), file);
    await until(async () => (await code(far)) === 401);
    expect(await code(token)).toBe(200);
    await until(async () => (await series(INFO))[0] !== info[0]);
    expect(await series(INFO)).toHaveLength(1);
    const text = log.join("\n");
    for (const secret of [token, far]) expect(text).not.toContain(secret.split(".")[2]);
  }, 60_000);

  test("says which paths anonymous requests may have", async () => {
    const file = write(configuration([], { anonymous: { enabled: true, conditions: [{ path: "/livez" }] } }));
    const { code } = await start({ "authentication-config": file, "authorization-mode": ["RBAC"] });
    await until(async () => (await code("", "/livez?verbose")) === 200);
    for (const path of ["/readyz", "/livez/", "/livez/ping", "//livez", "/version"])
      expect(await code("", path)).toBe(401);
    write(configuration([], { anonymous: { enabled: false } }), file);
    await until(async () => (await code("", "/livez")) === 401);
    expect(await code("guess", "/livez")).toBe(401);
  }, 60_000);

  test("that is wrong keeps the server from starting, with all that is wrong", async () => {
    const file = write(
      "apiVersion: apiserver.config.orch.io/v1\nkind: AuthenticationConfiguration\njwt: [{}]\nnothing: 1\n",
    );
    await expect(startServer({ flags: { "authentication-config": file } })).rejects.toMatchObject({
      lines: expect.arrayContaining([
        "--authentication-config: nothing: unknown field",
        "--authentication-config: jwt[0].issuer.url: Required value: URL is required",
      ]),
    });
    const both = { "authentication-config": file, "oidc-issuer-url": "https://x", "oidc-client-id": "y" };
    await expect(startServer({ flags: both })).rejects.toThrow(
      /is mutually exclusive with --oidc-issuer-url, --oidc-client-id/,
    );
  });
});

describe("the options of one issuer", () => {
  test("name authorities that are read again, and what a user is called", async () => {
    const [one, other] = [await issuer(), await issuer()];
    const file = write(other.ca);
    const { code, user, counted, log } = await start({
      "oidc-issuer-url": one.url,
      "oidc-client-id": "orch",
      "oidc-ca-file": file,
      "oidc-username-prefix": "-",
      "oidc-groups-claim": "roles",
      "oidc-required-claim": ["hd=example.com"],
    });
    const token = await one.token({ hd: "example.com", roles: "devs" });
    const fetches = "apiserver_authentication_jwt_authenticator_jwks_fetches_total";
    await until(async () => (await counted(`${fetches}{result="failure"`)) > 0);
    expect(await code(token)).toBe(401);
    write("nothing", file);
    await until(async () => (await counted("apiserver_configuration_reloads_total{")) === 1);
    write(one.ca, file);
    await until(async () => (await code(token)) === 200);
    expect(await user(token)).toEqual({ username: "ann", groups: ["devs", "system:authenticated"] });
    expect(await code(await one.token({ hd: "example.org" }))).toBe(401);
    expect(await code(await other.token({ hd: "example.com" }))).toBe(401);
    expect(log.join("\n")).not.toContain(token.split(".")[2]);
  }, 60_000);

  test("an issuer is not called again for many tokens with unknown keys", async () => {
    const one = await issuer();
    const { code } = await start({ "authentication-config": write(configuration([trusting(one)])) });
    const token = await one.token();
    await until(async () => (await code(token)) === 200);
    const { asked } = one;
    const [, body, signature] = token.split(".");
    const guesses = Array.from({ length: 200 }, (_, each) => {
      const header = Buffer.from(JSON.stringify({ alg: "RS256", kid: `guess-${each}` })).toString("base64url");
      return code(`${header}.${body}.${signature}`);
    });
    expect(new Set(await Promise.all(guesses))).toEqual(new Set([401]));
    expect(one.asked - asked).toBeLessThanOrEqual(2); // both documents, once
    expect(await code(token)).toBe(200);
  });
});

describe("an issuer that", () => {
  const large = (keys: number, more: object) =>
    JSON.stringify({ keys: Array.from({ length: keys }, () => ({ ...publishedKey(key), ...more })) });
  const worst: readonly [string, RemoteAnswer][] = [
    ["answers garbage", (_request, _body, response) => response.end("<html>")],
    ["answers without an end", (_request, _body, response) => endless(response)],
    ["leads elsewhere", (_request, _body, response) => response.writeHead(302, { location: "/more" }).end()],
    [
      "breaks off",
      (_request, _body, response) =>
        response.writeHead(200, { "content-length": "99" }).write("{", () => response.destroy()),
    ],
    ["has keys of 3 MiB", (_request, _body, response) => response.end(large(1, { x5c: ["A".repeat(3 << 20)] }))],
    [
      "has 10,000 keys",
      (_request, _body, response) => response.end(large(10_000, {}).replace(/"n":"[^"]+"/g, '"n":"AQAB"')),
    ],
    ["has only secrets", (_request, _body, response) => response.end('{"keys":[{"kty":"oct","k":"AAAA"}]}')],
  ];

  /** One server is shared by all cases. */
  test("does any of these has no tokens that are taken, until it does better", async () => {
    const issuers = await Promise.all(worst.map(([, keys]) => issuer(keys)));
    const file = write(configuration(issuers.map((each) => trusting(each))));
    const { code, log } = await start({ "authentication-config": file });
    for (const [index, bad] of issuers.entries()) {
      const [what] = worst[index] as (typeof worst)[number];
      const isTold = () =>
        log.some((line) => line.includes("cannot fetch the keys of a token issuer") && line.includes(bad.url));
      await until(async () => isTold());
      const token = await bad.token();
      expect([what, await code(token)]).toEqual([what, 401]);
      bad.keys = KEYS;
    }
    for (const bad of issuers) {
      const token = await bad.token();
      await until(async () => (await code(token)) === 200);
    }
  }, 60_000);

  test("shows another's certificate is not asked anything", async () => {
    const [bad, other] = [await issuer(), await issuer()];
    const wrong = trusting(bad, { issuer: { url: bad.url, certificateAuthority: other.ca, audiences: ["orch"] } });
    const { code, log, counted } = await start({ "authentication-config": write(configuration([wrong])) });
    await until(
      async () => (await counted('apiserver_authentication_jwt_authenticator_jwks_fetches_total{result="failure"')) > 0,
    );
    expect(await code(await bad.token())).toBe(401);
    expect(bad.asked).toBe(0);
    expect(log.join("\n")).toMatch(/certificate|self-signed/);
  });
});

describe("a webhook for tokens", () => {
  const reviewed =
    (status: object): RemoteAnswer =>
    (_request, body, response) => {
      const { apiVersion, kind } = JSON.parse(body) as { apiVersion: string; kind: string };
      response.end(JSON.stringify({ apiVersion, kind, status }));
    };
  const ANN = { authenticated: true, user: { username: "ann", uid: "7", groups: ["a"], extra: { k: ["v"] } } };

  async function withWebhook(answer: RemoteAnswer, flags: NonNullable<StartOptions["flags"]> = {}) {
    const service = await remoteService(answer, { needsClient: true });
    ends.push(() => service.close());
    const file = write(service.configuration());
    const started = await start({ "authentication-token-webhook-config-file": file, ...flags });
    return { service, file, ...started };
  }

  test.each(["v1", "v1beta1", "authentication.orch.io/v1"])(
    "is asked in version %s, once for a token",
    async (version) => {
      const bodies: { apiVersion: string; spec: object }[] = [];
      const { service, code, user } = await withWebhook(
        (request, body, response) => {
          bodies.push(JSON.parse(body));
          reviewed(ANN)(request, body, response);
        },
        { "authentication-token-webhook-version": version, "api-audiences": ["here"] },
      );
      expect(await code("s3cret")).toBe(200);
      for (let each = 0; each < 5; each += 1) expect(await code("s3cret")).toBe(200);
      expect(service.asked).toBe(1);
      expect(bodies[0]).toMatchObject({
        kind: "TokenReview",
        apiVersion: `authentication.orch.io/${version.split("/").pop()}`,
        spec: { token: "s3cret", audiences: ["here"] },
      });
      expect(await user("s3cret")).toEqual({
        username: "ann",
        uid: "7",
        groups: ["a", "system:authenticated"],
        extra: { k: ["v"] },
      });
    },
  );

  test("that does not know a token is not asked again for a while", async () => {
    const { service, code, counted } = await withWebhook(reviewed({ authenticated: false }));
    for (let each = 0; each < 5; each += 1) expect(await code("guess")).toBe(401);
    expect(service.asked).toBe(1);
    expect(await counted('apiserver_delegated_authn_request_total{code="200"}')).toBe(1);
  });

  test("is asked again after it could not answer", async () => {
    let times = 0;
    const { code } = await withWebhook((request, body, response) => {
      times += 1;
      if (times < 3) response.writeHead(500).end();
      else reviewed(ANN)(request, body, response);
    });
    expect(await code("s3cret")).toBe(200);
    expect(times).toBe(3);
  });

  const worst: readonly [string, RemoteAnswer][] = [
    ["answers garbage", (_request, _body, response) => response.end("<html>")],
    ["answers nothing", (_request, _body, response) => response.end()],
    ["answers without an end", (_request, _body, response) => endless(response)],
    ["leads elsewhere", (_request, _body, response) => response.writeHead(302, { location: "/more" }).end()],
    [
      "answers of something else",
      (_request, _body, response) => response.end('{"kind":"Pod","apiVersion":"v1","status":{"authenticated":true}}'),
    ],
    [
      "answers in another version",
      (_request, _body, response) =>
        response.end(JSON.stringify({ kind: "TokenReview", apiVersion: "authentication.orch.io/v1", status: ANN })),
    ],
    ["names nobody", reviewed({ authenticated: true, user: {} })],
    ["names no groups but a text", reviewed({ authenticated: true, user: { username: "ann", groups: "a" } })],
    ["says so with a word", reviewed({ ...ANN, authenticated: "true" })],
    ["is for others", reviewed({ ...ANN, audiences: ["there"] })],
    [
      "repeats the token in its error",
      (request, body, response) => reviewed({ error: `bad ${body}` })(request, body, response),
    ],
    ["refuses the server, with the token", (_request, body, response) => response.writeHead(403).end(body)],
  ];

  /** One server is shared by all cases. */
  test("an invalid answer of the token webhook authenticates no user and affects no other requests", async () => {
    const { service, code, log, admin } = await withWebhook(() => undefined, { "api-audiences": ["here"] });
    for (const [index, [what, answer]] of worst.entries()) {
      const token = `s3cret-token-${index}`;
      service.answer = answer;
      const [refused, other] = await Promise.all([code(token), admin.get("/api")]);
      expect([what, refused, other.code]).toEqual([what, 401, 200]);
      const review = await admin.post(REVIEWS, { spec: { token } });
      expect(JSON.stringify(review.json.status)).not.toContain("s3cret-token");
    }
    expect(log.join("\n")).not.toContain("s3cret-token");
    service.answer = reviewed({ ...ANN, audiences: ["here"] });
    expect(await code("s3cret-token")).toBe(200);
  }, 60_000);

  test("is asked about few unknown tokens of one sender at a time; a token that was good before is asked about beside them", async () => {
    const { service, code, admin } = await withWebhook(reviewed(ANN), { "authentication-token-webhook-cache-ttl": 1 });
    expect(await code("good")).toBe(200);
    const held: (() => void)[] = [];
    service.answer = (request, body, response) => {
      if (body.includes('"good"')) return reviewed(ANN)(request, body, response);
      held.push(() => reviewed({})(request, body, response));
    };
    const answered: number[] = [];
    const invented = Array.from({ length: 40 }, async (_, index) => {
      answered.push(await code(`invented-${index}`));
    });
    // Requests beyond the limit of concurrent reviews are refused at once.
    await until(async () => answered.length >= 24);
    expect(await code("good")).toBe(200);
    expect([answered, held.length]).toEqual([answered.map(() => 429), 16]);
    for (const answer of held) answer();
    await Promise.all(invented);
    expect(answered.slice(24)).toEqual(held.map(() => 401));
    expect((await admin.get("/api")).code).toBe(200);
  });

  test("gives the reviews of a token its reason, and a general one where it gives none", async () => {
    const { service, admin, code, log } = await withWebhook(reviewed({ error: "the account is locked" }));
    const errorOf = async (token: string) => (await admin.post(REVIEWS, { spec: { token } })).json.status;
    for (let time = 0; time < 2; time += 1) {
      expect(await errorOf("locked")).toMatchObject({ error: "the account is locked" });
      expect(await code("locked")).toBe(401);
    }
    expect(log.join("\n")).not.toContain("the account is locked");
    for (const [index, status] of [{}, { error: "" }, { authenticated: false }].entries()) {
      service.answer = reviewed(status);
      expect(await errorOf(`unknown-${index}`)).toMatchObject({
        error: expect.stringContaining("webhook: unknown token"),
      });
    }
    service.answer = (_request, _body, response) => response.writeHead(403).end();
    expect(await errorOf("other")).toMatchObject({ error: expect.stringContaining("webhook: the call failed") });
  });

  test("a hanging token webhook delays no other requests and is replaced with its file", async () => {
    const { service, file, admin, code } = await withWebhook(() => undefined);
    const hanging = [1, 2, 3].map((each) => code(`token-${each}`).catch(() => 0));
    await until(async () => service.asked >= 3);
    expect((await admin.get("/api")).code).toBe(200);
    const next = await remoteService(reviewed(ANN), { needsClient: true });
    ends.push(() => next.close());
    write(next.configuration(), file);
    let tries = 0;
    const later = () => code(`later-${++tries}`).catch(() => 0); // one that was sent to the former one hangs as well
    const soon = () => new Promise<number>((resolve) => setTimeout(resolve, 500, 0));
    await until(async () => (await Promise.race([later(), soon()])) === 200);
    await service.close();
    expect(await Promise.all(hanging)).not.toContain(0); // none is left without an answer
  }, 60_000);
});
