// Service account tokens over HTTP: requested, used, reviewed, and rejected when the bound object is gone.
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parseSigningKey, signToken } from "@orch/auth";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";
import { openWebSocket } from "../testing/web-socket-client";

const folder = mkdtempSync(join(tmpdir(), "account-tokens-"));
const keyFile = join(folder, "sa.key");
const ISSUER = "https://issuer.example";
const CORE = "/api/v1/namespaces/default";
const ACCOUNTS = `${CORE}/serviceaccounts`;
const REVIEWS = "/apis/authentication.orch.io/v1/tokenreviews";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = rsa.privateKey.export({ type: "pkcs1", format: "pem" }) as string;

let server: RunningServer;
let admin: ApiClient;
let anybody: ApiClient;

beforeAll(async () => {
  writeFileSync(keyFile, pem);
  server = await startServer({
    flags: {
      "service-account-signing-key-file": keyFile,
      "service-account-issuer": [ISSUER],
      "service-account-max-token-expiration": 7_200_000,
      "enable-bootstrap-token-auth": true,
    },
  });
  admin = new ApiClient(server, server.admin);
  anybody = new ApiClient(server);
});
afterAll(async () => {
  admin.close();
  anybody.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

interface Asked {
  readonly code: number;
  readonly token: string;
  readonly json: {
    readonly message: string;
    readonly reason: string;
    readonly spec: object;
    readonly status: { readonly token: string; readonly expirationTimestamp: string };
  };
  readonly warning: string | undefined;
}

async function ask(account: string, spec: object = {}, query = ""): Promise<Asked> {
  const body = { apiVersion: "authentication.orch.io/v1", kind: "TokenRequest", spec };
  const { code, json, headers } = await admin.post(`${ACCOUNTS}/${account}/token${query}`, body);
  const answered = json as unknown as Asked["json"];
  return { code, json: answered, token: answered.status?.token, warning: headers["warning"] as string | undefined };
}

const make = async (name: string): Promise<string> => {
  const made = await admin.post(ACCOUNTS, { metadata: { name } });
  expect(made.code).toBe(201);
  return made.json.metadata.uid;
};

const with_ = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const codeWith = async (token: string, path = "/version") => (await anybody.get(path, with_(token))).code;

interface Reviewed {
  readonly authenticated?: boolean;
  readonly user: { readonly username?: string; readonly groups?: readonly string[]; readonly extra?: object };
  readonly audiences?: readonly string[];
  readonly error?: string;
}

async function review(token: string, audiences?: readonly string[]): Promise<Reviewed> {
  const answer = await admin.post(REVIEWS, {
    apiVersion: "authentication.orch.io/v1",
    kind: "TokenReview",
    spec: { token, ...(audiences && { audiences }) },
  });
  expect(answer.code).toBe(201);
  return answer.json.status as unknown as Reviewed;
}

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1] as string, "base64url").toString());

describe("a token that is asked for", () => {
  test("is its account's, for this server, for an hour", async () => {
    const uid = await make("plain");
    const { code, token, json } = await ask("plain");
    expect(code).toBe(201);
    expect(JSON.stringify(json.spec)).toBe(
      JSON.stringify({ audiences: [ISSUER], expirationSeconds: 3600, boundObjectRef: null }),
    );
    const claims = claimsOf(token);
    expect(claims).toMatchObject({
      iss: ISSUER,
      aud: [ISSUER],
      sub: "system:serviceaccount:default:plain",
      "orch.io": { namespace: "default", serviceaccount: { name: "plain", uid } },
    });
    expect(claims.exp - claims.iat).toBe(3600);
    expect(await codeWith(token)).toBe(200);
    expect(await review(token)).toEqual({
      authenticated: true,
      user: {
        username: "system:serviceaccount:default:plain",
        uid,
        groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
      },
      audiences: [ISSUER],
    });
  });

  test("is good only for those that it was asked for", async () => {
    await make("elsewhere");
    const { token } = await ask("elsewhere", { audiences: ["vault", "store"] });
    expect(await codeWith(token)).toBe(401);
    expect(await review(token, ["store", "other"])).toMatchObject({ authenticated: true, audiences: ["store"] });
    const refused = await review(token);
    expect(refused).toMatchObject({ user: {}, error: expect.stringMatching(/^\[invalid bearer token, .*vault/) });
    expect(refused.authenticated).toBeUndefined();
  });

  test.each([
    [{ expirationSeconds: 599 }, 422, "spec.expirationSeconds"],
    [{ expirationSeconds: 2 ** 32 + 1 }, 422, "spec.expirationSeconds"],
    [
      { boundObjectRef: { kind: "ConfigMap", apiVersion: "v1", name: "x" } },
      400,
      "cannot bind token to object of type",
    ],
    [{ boundObjectRef: { kind: "Node", apiVersion: "v1", name: "x" } }, 400, "cannot bind token to object of type"],
    [{ boundObjectRef: { kind: "Pod", apiVersion: "v1" } }, 400, "spec.boundObjectRef.name"],
    [{ boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "nobody" } }, 404, 'pods "nobody" not found'],
  ])("with %j is refused %i", async (spec, code, text) => {
    await admin.post(ACCOUNTS, { metadata: { name: "bounds" } });
    const answer = await ask("bounds", spec);
    expect([answer.code, answer.json.message]).toEqual([code, expect.stringContaining(text)]);
  });

  test("with a lifetime that no JavaScript number holds is refused by the number that was sent", async () => {
    await admin.post(ACCOUNTS, { metadata: { name: "bounds" } });
    const answer = await admin.post(`${ACCOUNTS}/bounds/token`, '{"spec":{"expirationSeconds":9007199254740993}}');
    expect([answer.code, answer.json.message]).toEqual([
      422,
      expect.stringContaining("Invalid value: 9007199254740993:"),
    ]);
  });

  test("is refused for an account that is not there, and made for none when it is only tried", async () => {
    expect(await ask("nobody")).toMatchObject({ code: 404 });
    await make("tried");
    const { code, token } = await ask("tried", {}, "?dryRun=All");
    expect([code, token]).toEqual([201, ""]);
  });

  test("is not made for more audiences than any object has values", async () => {
    await make("many");
    const { code, json } = await ask("many", { audiences: Array.from({ length: 20_000 }, (_, index) => `a${index}`) });
    expect([code, json.reason]).toEqual([413, "RequestEntityTooLarge"]);
  });

  test("is shortened to the longest that the server allows, with a warning", async () => {
    await make("long");
    const { token, warning, json } = await ask("long", { expirationSeconds: 100_000 });
    expect(json.spec).toMatchObject({ expirationSeconds: 7200 });
    expect(claimsOf(token).exp - claimsOf(token).iat).toBe(7200);
    expect(warning).toContain("shortened to 7200 seconds");
  });

  test("is another right than to write accounts", async () => {
    await make("rights");
    const { token } = await ask("rights");
    const body = { apiVersion: "authentication.orch.io/v1", kind: "TokenRequest", spec: {} };
    const answer = await anybody.post(`${ACCOUNTS}/rights/token`, body, with_(token).headers);
    expect([answer.code, answer.json.message]).toEqual([
      403,
      expect.stringContaining('cannot create resource "serviceaccounts/token"'),
    ]);
  });
});

describe("a token is refused as soon as", () => {
  test("its account is deleted, and for one made anew under its name", async () => {
    await make("gone");
    const { token } = await ask("gone");
    expect(await codeWith(token)).toBe(200);
    expect((await admin.delete(`${ACCOUNTS}/gone`)).code).toBe(200);
    expect(await codeWith(token)).toBe(401);
    await make("gone");
    expect(await codeWith(token)).toBe(401);
    expect((await review(token)).error).toContain("the ServiceAccount of the service account token no longer exists");
    expect(await codeWith((await ask("gone")).token)).toBe(200);
  });

  test("its account is marked for deletion", async () => {
    await make("marked");
    const { token } = await ask("marked");
    const finalizers = { metadata: { finalizers: ["example.com/keep"] } };
    const merge = { headers: { "content-type": "application/merge-patch+json" } };
    await admin.ask("PATCH", `${ACCOUNTS}/marked`, { body: finalizers, ...merge });
    expect(await codeWith(token)).toBe(200);
    await admin.delete(`${ACCOUNTS}/marked`);
    expect(await codeWith(token)).toBe(401);
  });

  test.each(["Pod", "Secret"])("the %s that it is bound to is deleted, whatever comes in its place", async (kind) => {
    const account = `bound-${kind.toLowerCase()}`;
    await make(account);
    const [path, body] =
      kind === "Pod"
        ? [
            `${CORE}/pods`,
            {
              metadata: { name: account },
              spec: { serviceAccountName: account, containers: [{ name: "c", image: "i" }] },
            },
          ]
        : [`${CORE}/secrets`, { metadata: { name: account } }];
    const made = await admin.post(path, body);
    expect(made.code).toBe(201);
    const reference = { kind, apiVersion: "v1", name: account };
    const asked = await ask(account, {
      boundObjectRef: { ...reference, uid: made.json.metadata.uid },
      expirationSeconds: 3607,
    });
    const { token } = asked;
    const { exp, iat, "orch.io": own } = claimsOf(token);
    // Tokens with the expiration that admission requests for pods live longer, and warn after the requested time.
    expect([exp - iat, own.warnafter && own.warnafter - iat]).toEqual(
      kind === "Pod" ? [365 * 86_400, 3607] : [3607, undefined],
    );
    expect(Date.parse(asked.json.status.expirationTimestamp) / 1000).toBe(iat + 3607);
    expect(await codeWith(token)).toBe(200);
    const { user } = await review(token);
    const extra = {
      "authentication.orch.io/pod-name": [account],
      "authentication.orch.io/pod-uid": [made.json.metadata.uid],
    };
    expect(user.extra).toEqual(kind === "Pod" ? extra : undefined);
    await admin.delete(`${path}/${account}`);
    expect(await codeWith(token)).toBe(401);
    await admin.post(path, body);
    expect(await codeWith(token)).toBe(401);
    const stale = await ask(account, { boundObjectRef: { ...reference, uid: made.json.metadata.uid } });
    expect([stale.code, stale.json.reason]).toEqual([409, "Conflict"]);
  });
});

test("a pod's token is not made for another account", async () => {
  await make("owner");
  await make("thief");
  const spec = { serviceAccountName: "owner", containers: [{ name: "c", image: "i" }] };
  await admin.post(`${CORE}/pods`, { metadata: { name: "owned" }, spec });
  const answer = await ask("thief", { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "owned" } });
  expect([answer.code, answer.json.message]).toEqual([
    400,
    expect.stringContaining("cannot bind token for serviceaccount"),
  ]);
});

describe("a token that is kept in a Secret", () => {
  const signedFor = (account: string, uid: string, secret: string) =>
    signToken(
      {
        iss: "orch/serviceaccount",
        sub: `system:serviceaccount:default:${account}`,
        "orch.io/serviceaccount/namespace": "default",
        "orch.io/serviceaccount/secret.name": secret,
        "orch.io/serviceaccount/service-account.name": account,
        "orch.io/serviceaccount/service-account.uid": uid,
      },
      parseSigningKey(pem),
    );
  const keep = (name: string, account: string, token: string) =>
    admin.post(`${CORE}/secrets`, {
      metadata: { name, annotations: { "orch.io/service-account.name": account } },
      type: "orch.io/service-account-token",
      data: { token: Buffer.from(token).toString("base64") },
    });

  test("is good as long as it is there, and counted", async () => {
    const uid = await make("legacy");
    const token = await signedFor("legacy", uid, "legacy-token");
    expect(await codeWith(token)).toBe(401);
    expect((await keep("legacy-token", "legacy", token)).code).toBe(201);
    expect(await codeWith(token)).toBe(200);
    expect(await review(token)).toMatchObject({ authenticated: true, audiences: [ISSUER] });
    expect((await admin.get("/metrics")).text).toMatch(/^serviceaccount_legacy_tokens_total [1-9]/m);
    await admin.delete(`${CORE}/secrets/legacy-token`);
    expect(await codeWith(token)).toBe(401);
    // A Secret of the same name with another token.
    expect((await keep("legacy-token", "legacy", `${token}x`)).code).toBe(201);
    expect(await codeWith(token)).toBe(401);
  });
});

describe("verification of tokens by other parties", () => {
  test("finds the issuer, and the keys, where the role lets them", async () => {
    await make("reader");
    const { token } = await ask("reader");
    expect((await anybody.get("/.well-known/openid-configuration")).code).toBe(403);
    const document = await anybody.get("/.well-known/openid-configuration", with_(token));
    expect(document.json).toEqual({
      issuer: ISSUER,
      jwks_uri: `${server.url}/openid/v1/jwks`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
    });
    expect([document.headers["content-type"], document.headers["cache-control"]]).toEqual([
      "application/json",
      "public, max-age=3600",
    ]);
    const keys = await anybody.get("/openid/v1/jwks", with_(token));
    expect(keys.headers["content-type"]).toBe("application/jwk-set+json");
    const { n, e } = rsa.publicKey.export({ format: "jwk" });
    expect(keys.json).toEqual({
      keys: [{ use: "sig", kty: "RSA", kid: parseSigningKey(pem).id, alg: "RS256", n, e }],
    });
    expect(JSON.parse(Buffer.from(token.split(".")[0] as string, "base64url").toString())).toEqual({
      alg: "RS256",
      kid: parseSigningKey(pem).id,
    });
    expect((await admin.post("/openid/v1/jwks", {})).code).toBe(405);
  });
});

describe("the token of a machine that joins", () => {
  const NAMESPACE = "/api/v1/namespaces/orch-system";
  const keep = (id: string, more: Record<string, string> = {}) =>
    admin.post(`${NAMESPACE}/secrets`, {
      metadata: { name: `bootstrap-token-${id}` },
      type: "bootstrap.orch.io/token",
      stringData: {
        "token-id": id,
        "token-secret": "0123456789abcdef",
        "usage-bootstrap-authentication": "true",
        ...more,
      },
    });

  test("is good as long as its Secret is there", async () => {
    await admin.post("/api/v1/namespaces", { metadata: { name: "orch-system" } });
    const made = await keep("abcdef", { "auth-extra-groups": "system:bootstrappers:workers" });
    expect(made.code).toBe(201);
    expect(await review("abcdef.0123456789abcdef")).toEqual({
      authenticated: true,
      user: {
        username: "system:bootstrap:abcdef",
        groups: ["system:bootstrappers", "system:bootstrappers:workers", "system:authenticated"],
      },
      audiences: [ISSUER],
    });
    expect(await codeWith("abcdef.0123456789abcdef")).toBe(200);
    expect(await codeWith("abcdef.0123456789abcdeg")).toBe(401);
    await admin.delete(`${NAMESPACE}/secrets/bootstrap-token-abcdef`);
    expect(await codeWith("abcdef.0123456789abcdef")).toBe(401);
  });

  test.each<[string, Record<string, string>]>([
    ["has expired", { expiration: "2020-01-01T00:00:00Z" }],
    ["is for another use", { "usage-bootstrap-authentication": "no" }],
  ])("is refused where it %s", async (_what, more) => {
    const id = `b${_what.length}xxxx`.slice(0, 6);
    expect((await keep(id, more)).code).toBe(201);
    expect(await codeWith(`${id}.0123456789abcdef`)).toBe(401);
  });

  test.each<[string, Record<string, string>]>([
    ["data[token-id]: must be 6 characters", { "token-id": "ABCDEF" }],
    ["metadata.name: must be", { "token-id": "zzzzzz" }],
    ["data[token-secret]: must be 16 characters", { "token-secret": "0123456789abcdef0" }],
    ["data[auth-extra-groups]: must be comma-separated groups", { "auth-extra-groups": "system:masters" }],
    ["data[expiration]: must be a time", { expiration: "tomorrow" }],
  ])("is kept with the warning '%s …', and refused", async (warning, more) => {
    const id = `c${warning.length}xxxx`.slice(0, 6);
    const made = await keep(id, more);
    expect([made.code, made.headers["warning"]]).toEqual([201, expect.stringContaining(warning)]);
    expect(await codeWith(`${id}.${more["token-secret"] ?? "0123456789abcdef"}`)).toBe(401);
  });

  test("is kept without a warning where nothing is amiss, and with one where an update breaks it", async () => {
    expect((await keep("whole1")).headers["warning"]).toBeUndefined();
    const headers = { "content-type": "application/merge-patch+json" };
    const body = { stringData: { "token-secret": "short" } };
    const changed = await admin.ask("PATCH", `${NAMESPACE}/secrets/bootstrap-token-whole1`, { body, headers });
    expect([changed.code, changed.headers["warning"]]).toEqual([200, expect.stringContaining("data[token-secret]")]);
  });
});

test("a page in a browser offers its token as a protocol of the WebSocket that it opens", async () => {
  await make("page");
  const { token } = await ask("page");
  const protocol = (text: string) =>
    `base64url.bearer.authorization.orch.io.${Buffer.from(text).toString("base64url")}`;
  const open = async (text: string) => {
    const offered = { "sec-websocket-protocol": `${protocol(text)}, binary.orch.io` };
    const { code, headers, socket } = await openWebSocket(
      server,
      "/api/v1/namespaces/default/pods?watch=1",
      offered,
      false,
    );
    socket?.destroy();
    return [code, headers["sec-websocket-protocol"]];
  };
  expect((await open(token))[0]).toBe(403); // known, and without rights
  const binding = {
    metadata: { name: "page" },
    subjects: [{ kind: "ServiceAccount", namespace: "default", name: "page" }],
    roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "view" },
  };
  expect((await admin.post("/apis/rbac.authorization.orch.io/v1/clusterrolebindings", binding)).code).toBe(201);
  expect(await open(token)).toEqual([101, "binary.orch.io"]);
  expect((await open(`${token}x`))[0]).toBe(401);
});

describe("a client with an invalid token", () => {
  const attempts = async (result: string) => {
    const { text } = await admin.get("/metrics");
    return Number(new RegExp(`^authentication_attempts\\{result="${result}"\\} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
  };

  test("is refused, and counted, each time", async () => {
    await make("flooded");
    const { token } = await ask("flooded");
    const [head, body] = token.split(".");
    const bad = Array.from({ length: 300 }, (_, index) => `${head}.${body}.${index.toString(36).padStart(342, "A")}`);
    const before = await attempts("error");
    const codes = await Promise.all(bad.map((each) => codeWith(each)));
    expect(new Set(codes)).toEqual(new Set([401]));
    expect((await attempts("error")) - before).toBeGreaterThanOrEqual(bad.length);
    expect(await codeWith(token)).toBe(200);
  });

  test.each([
    ["longer than a token is", 16 * 1024 + 1, [401, 431]],
    ["3 MiB long", 3 * 2 ** 20, [431]],
  ])("in a header %s is refused before anything is read of it", async (_what, length, codes) => {
    const { authorization } = with_("x".repeat(length)).headers;
    const code = await anybody.get("/version", { headers: { authorization } }).then(
      (answer) => answer.code,
      () => 431, // the connection was closed while the rest was still on its way
    );
    expect(codes).toContain(code);
    expect((await admin.get("/version")).code).toBe(200);
  });

  test("learns from a review of it no more than that it is none", async () => {
    expect((await review("x".repeat(100_000))).error).toContain("longer than");
    expect((await review("no token")).error).toContain("must contain a single bearer token");
  });
});
