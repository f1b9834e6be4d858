// Service account tokens of an external signer, over a real server and real gRPC.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import { signerKey, TokenSigner } from "@orch/testing";
import { type RunningServer, type StartOptions, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const folder = mkdtempSync(join(tmpdir(), "external-signer-"));
const ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";
const REVIEWS = "/apis/authentication.orch.io/v1/tokenreviews";
let sockets = 0;
const signers: TokenSigner[] = [];
const servers: { readonly server: RunningServer; readonly admin: ApiClient }[] = [];

afterEach(async () => {
  for (const { server, admin } of servers.splice(0)) {
    admin.close();
    await server.stop();
  }
  for (const signer of signers.splice(0)) signer.stop();
});
afterAll(() => rmSync(folder, { recursive: true }));

function signerOf(change: Partial<TokenSigner> = {}): Promise<TokenSigner> {
  const signer = Object.assign(new TokenSigner(join(folder, `${sockets++}.sock`)), change);
  signers.push(signer);
  return signer.start();
}

async function start(socket: string, flags: NonNullable<StartOptions["flags"]> = {}) {
  const server = await startServer({
    flags: {
      "emulated-release": "1.36",
      "service-account-issuer": ["https://issuer.example"],
      ...flags,
      "service-account-signing-endpoint": socket,
    },
  });
  const admin = new ApiClient(server, server.admin);
  servers.push({ server, admin });
  await admin.post(ACCOUNTS, { metadata: { name: "robot" } });
  const request = (spec: object = {}) => admin.post(`${ACCOUNTS}/robot/token`, { spec });
  const tokenOf = async (spec: object = {}): Promise<string> => {
    const { code, json } = await request(spec);
    expect(code).toBe(201);
    return (json.status as unknown as { token: string }).token;
  };
  const isAuthentic = async (token: string): Promise<unknown> =>
    ((await admin.post(REVIEWS, { spec: { token } })).json.status as { authenticated?: boolean }).authenticated;
  const published = async (): Promise<unknown[]> => {
    const { text } = await admin.get("/openid/v1/jwks");
    return (JSON.parse(text) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  };
  return { admin, request, tokenOf, isAuthentic, published };
}

const partsOf = (token: string) =>
  token.split(".", 2).map((part) => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>);

describe("an external signer", () => {
  test("signs tokens, which the server accepts, for the lifetime that the signer allows", async () => {
    const signer = await signerOf({ keys: [signerKey("key-1"), signerKey("former", true)] });
    const { admin, tokenOf, isAuthentic, published, request } = await start(signer.socket);
    const token = await tokenOf({ expirationSeconds: 86_400 });
    const [header, claims = {}] = partsOf(token);
    expect(header).toEqual({ alg: "ES256", kid: "key-1", typ: "JWT" });
    expect(Number(claims["exp"]) - Number(claims["iat"])).toBe(7200);
    expect(claims).toMatchObject({ iss: "https://issuer.example", sub: "system:serviceaccount:default:robot" });
    expect(await isAuthentic(token)).toBe(true);
    expect(await isAuthentic(`${token.slice(0, -8)}AAAAAAAA`)).toBeUndefined();
    expect(await published()).toEqual(["key-1"]);
    expect(new Set(signer.calls)).toEqual(new Set(["v1 FetchKeys", "v1 Metadata", "v1 Sign"]));

    // The token of a new key is verified after the keys were fetched again, at most once a second.
    signer.keys = [signerKey("key-2"), ...signer.keys];
    const next = await tokenOf();
    while ((await isAuthentic(next)) !== true) await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await published()).toEqual(["key-2", "key-1"]);
    expect(await isAuthentic(token)).toBe(true);

    const problems: unknown[] = [];
    for (const change of [{ kid: "" }, { typ: "JOSE" }, { alg: "none" }, { more: 1 }, { kid: "former" }]) {
      signer.header = change;
      const { code, json } = await request();
      problems.push([code, json.message]);
    }
    const text = (why: string) => [
      500,
      expect.stringContaining(`failed to generate token: the external signer returned an invalid header: ${why}`),
    ];
    expect(problems).toEqual([
      text("key id missing"),
      text("bad type"),
      text('bad signing algorithm "none"'),
      text('unknown field "more"'),
      text("key used for signing JWT (kid: former) is excluded from OIDC discovery docs"),
    ]);

    // Tokens are verified without the signer, and it is used again once it is back.
    signer.header = {};
    signer.stop();
    expect(await isAuthentic(next)).toBe(true);
    expect((await request()).code).toBe(500);
    const { text: metrics } = await admin.get("/metrics");
    expect(metrics).toContain('apiserver_externaljwt_sign_request_total{code="OK"} 2\n');
    expect(metrics).toContain('apiserver_externaljwt_sign_request_total{code="unknown-non-grpc"} 5\n');
    expect(metrics).toContain('apiserver_externaljwt_sign_request_total{code="Unavailable"} 1\n');
    expect(metrics).toMatch(/^apiserver_externaljwt_fetch_keys_request_total{code="OK"} [1-9]/m);
    expect(metrics).toMatch(/^apiserver_externaljwt_fetch_keys_success_timestamp [1-9]/m);
    expect(metrics).toContain(
      'apiserver_externaljwt_request_duration_seconds_count{method="/v1.ExternalJWTSigner/Sign",code="OK"} 7\n',
    );
    await signer.start();
    expect(await isAuthentic(await tokenOf())).toBe(true);
  });

  test("tells new keys after the time that it names, in v1alpha1 at earlier releases", async () => {
    const signer = await signerOf({ refreshSeconds: 1 });
    const gates = { "emulated-release": "1.33", "feature-gates": { ExternalServiceAccountTokenSigner: true } };
    const { published } = await start(signer.socket, gates);
    signer.keys = [signerKey("key-2")];
    while (String(await published()) !== "key-2") await new Promise((resolve) => setTimeout(resolve, 100));
    expect(new Set(signer.calls)).toEqual(new Set(["v1alpha1 FetchKeys", "v1alpha1 Metadata"]));
  });

  test.each<[string, Partial<TokenSigner>, RegExp]>([
    ["without keys", { keys: [] }, /found no keys/],
    ["with a key without a name", { keys: [signerKey("")] }, /found invalid public key id ""/],
    ["that names no time of refresh", { refreshSeconds: 0 }, /found invalid refresh hint \(0s\)/],
    ["of short tokens", { maxSeconds: 599 }, /maximum token lifetime of 599 s is less than 600 s/],
  ])("%s stops the start", async (_what, change, message) => {
    const { socket } = await signerOf(change);
    await expect(start(socket)).rejects.toThrow(message);
  });

  test("is not used together with keys, with longer tokens, or without its gate", async () => {
    const { socket } = await signerOf();
    const day = 86_400_000;
    await expect(start(socket, { "service-account-max-token-expiration": day })).rejects.toThrow(
      /--service-account-max-token-expiration cannot be longer .*: 86400s > 7200s/,
    );
    await expect(start(socket, { "service-account-key-file": ["/key"] })).rejects.toThrow(/excludes/);
    await expect(start(socket, { "emulated-release": "1.33" })).rejects.toThrow(/requires the feature gate/);
    await expect(start("@a b")).rejects.toThrow(/not the name of an abstract socket/);
  });
});
