import { createHmac, createPublicKey, generateKeyPairSync, hash } from "node:crypto";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { NEVER_ENDS } from "@orch/platform";
import { vocabularyOf } from "@orch/schema";
import {
  type Authenticated,
  type AuthenticationOutcome,
  NOT_APPLICABLE,
  unionOf,
} from "../../authentication/authenticator";
import { bearerTokenAuthenticator } from "../../authentication/bearer-token";
import { RememberedTokens } from "../remembered-tokens";
import { KeyRing } from "../signed/key-ring";
import { parseSigningKey, parseVerificationKeys, publishedKey, type SigningKey, signToken } from "../signed/token-keys";
import { tokenUnion } from "../token-union";
import { AccountTokens, type UsedSecret } from "./account-tokens";
import type { BoundKind, BoundObject, TokenSecret } from "./bound-objects";

const vocabulary = vocabularyOf("orch");
const NOW_S = 1_700_000_000;
const ISSUER = "https://here";
const FOR_US = { audiences: [], signal: NEVER_ENDS };

const pemOf = (curve?: string): string => {
  const { privateKey } =
    curve === undefined
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ec", { namedCurve: curve });
  return privateKey.export({ type: "pkcs8", format: "pem" }) as string;
};
const rsaPem = pemOf();
const ours = parseSigningKey(rsaPem);
const theirs = parseSigningKey(pemOf("P-256"));

const CLAIMS = {
  iss: ISSUER,
  aud: [ISSUER],
  exp: NOW_S + 3600,
  nbf: NOW_S,
  iat: NOW_S,
  sub: "system:serviceaccount:ns:robot",
  "orch.io": { namespace: "ns", serviceaccount: { name: "robot", uid: "account-1" } },
};
const LEGACY = {
  iss: "orch/serviceaccount",
  sub: "system:serviceaccount:ns:robot",
  "orch.io/serviceaccount/namespace": "ns",
  "orch.io/serviceaccount/secret.name": "robot-token",
  "orch.io/serviceaccount/service-account.name": "robot",
  "orch.io/serviceaccount/service-account.uid": "account-1",
};
const bound = (more: object, claims: object = CLAIMS) => ({ ...claims, "orch.io": { ...CLAIMS["orch.io"], ...more } });

let nowMs: number;
let objects: Map<string, BoundObject>;
let secrets: Map<string, TokenSecret>;
/** References from accounts to Secrets. */
let references: Set<string>;
let late: (() => void) | undefined;
let looks: number;
let uses: string[];
let ring: KeyRing;

beforeEach(() => {
  [nowMs, late, looks, uses] = [NOW_S * 1000, undefined, 0, []];
  objects = new Map([["ServiceAccount ns/robot", { uid: "account-1", deletedAtMs: undefined }]]);
  secrets = new Map();
  references = new Set();
  ring = new KeyRing();
  ring.replace("ours", [ours]);
});

const tokensOf = (
  more: {
    audiences?: readonly string[];
    lookup?: boolean;
    release?: string;
    secretUsed?: (secret: UsedSecret) => void;
  } = {},
) =>
  new AccountTokens({
    vocabulary,
    release: "1.23",
    keys: ring,
    issuers: [ISSUER, "https://former"],
    audiences: [ISSUER],
    lookup: true,
    objects: {
      find: (kind: BoundKind, namespace, name) => objects.get(`${kind} ${namespace}/${name}`),
      tokenSecret: (namespace, name) => secrets.get(`${namespace}/${name}`),
      refersTo: ({ namespace, name }, secret) => references.has(`${namespace}/${name} ${secret}`),
      async caughtUp() {
        looks += 1;
        late?.();
      },
    },
    nowMs: () => nowMs,
    used: (token) => void uses.push(token),
    ...more,
  });

const find = async (token: string, audiences: readonly string[] = []): Promise<AuthenticationOutcome> =>
  tokensOf().authenticateToken(token, { audiences, signal: NEVER_ENDS });

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
/** Signs a token with the test's key, regardless of its header. */
async function withHeader(header: object, claims: object = CLAIMS): Promise<string> {
  const { sign } = await import("node:crypto");
  const content = `${part(header)}.${part(claims)}`;
  return `${content}.${sign("sha256", Buffer.from(content), ours.privateKey).toString("base64url")}`;
}

describe("a token of a service account", () => {
  test.each([
    ["RSA", ours],
    ["P-256", theirs],
    ["P-384", parseSigningKey(pemOf("P-384"))],
    ["P-521", parseSigningKey(pemOf("P-521"))],
  ])("is taken that was signed with a key of kind %s", async (_kind, key: SigningKey) => {
    ring.replace("ours", [key]);
    expect(await find(await signToken(CLAIMS, key))).toMatchObject({
      kind: "authenticated",
      user: {
        name: "system:serviceaccount:ns:robot",
        uid: "account-1",
        groups: ["system:serviceaccounts", "system:serviceaccounts:ns"],
      },
      audiences: [ISSUER],
    });
  });

  test("a token of another accepted issuer, with one audience as a string and without a key id, is accepted", async () => {
    const claims = { ...CLAIMS, iss: "https://former", aud: ISSUER };
    expect(await find(await withHeader({ alg: "RS256" }, claims))).toMatchObject({ kind: "authenticated" });
    expect(await find(await withHeader({ alg: "RS256", kid: "another name" }, claims))).toMatchObject({
      kind: "authenticated",
    });
  });

  test("carries the names of its pod and, in releases that have them, of its node and itself", async () => {
    objects.set("Pod ns/p", { uid: "pod-1", deletedAtMs: undefined });
    const pod = { name: "p", uid: "pod-1" };
    const token = await signToken({ ...bound({ pod, node: { name: "n", uid: "node-1" } }), jti: "7" }, ours);
    const ofPod = { "authentication.orch.io/pod-name": ["p"], "authentication.orch.io/pod-uid": ["pod-1"] };
    expect(await find(token)).toMatchObject({ user: { extra: ofPod } });
    expect(await tokensOf({ release: "1.30" }).authenticateToken(token, FOR_US)).toMatchObject({
      user: {
        extra: {
          ...ofPod,
          "authentication.orch.io/node-name": ["n"],
          "authentication.orch.io/node-uid": ["node-1"],
          "authentication.orch.io/credential-id": ["JTI=7"],
        },
      },
    });
  });
});

describe("none of these is taken", () => {
  const publicPem = createPublicKey(rsaPem).export({ type: "spki", format: "pem" }) as string;
  const hmac = (header: object) => {
    const content = `${part(header)}.${part(CLAIMS)}`;
    return `${content}.${createHmac("sha256", publicPem).update(content).digest("base64url")}`;
  };
  const deep = (): string => {
    const open = 5000;
    return `${part({ alg: "RS256" })}.${Buffer.from("[".repeat(open) + "]".repeat(open)).toString("base64url")}.AAAA`;
  };
  const twice = async () => {
    const { sign } = await import("node:crypto");
    const claims = JSON.stringify(CLAIMS).replace("{", `{"iss":"https://elsewhere","sub":"system:admin",`);
    const content = `${part({ alg: "RS256" })}.${Buffer.from(claims).toString("base64url")}`;
    return `${content}.${sign("sha256", Buffer.from(content), ours.privateKey).toString("base64url")}`;
  };

  test.each<[string, () => string | Promise<string>, "failed" | "notApplicable", string]>([
    ["expired", () => signToken({ ...CLAIMS, exp: NOW_S - 61 }, ours), "failed", "expired"],
    ["not yet valid", () => signToken({ ...CLAIMS, nbf: NOW_S + 61 }, ours), "failed", "not valid yet"],
    ["issued in the future", () => signToken({ ...CLAIMS, iat: NOW_S + 61 }, ours), "failed", "not valid yet"],
    ["without an end", () => signToken({ ...CLAIMS, exp: undefined }, ours), "failed", "a claim is missing"],
    ["with an end that is text", () => signToken({ ...CLAIMS, exp: "never" }, ours), "failed", "a claim is missing"],
    ["for somebody else", () => signToken({ ...CLAIMS, aud: ["vault"] }, ours), "failed", "vault"],
    ["for audiences that are no texts", () => signToken({ ...CLAIMS, aud: [1] }, ours), "failed", "a claim is missing"],
    ["of another issuer", () => signToken({ ...CLAIMS, iss: "https://elsewhere" }, ours), "notApplicable", ""],
    ["of no issuer", () => signToken({ ...CLAIMS, iss: undefined }, ours), "notApplicable", ""],
    ["of another cluster with the same issuer", () => signToken(CLAIMS, theirs), "failed", "not signed by a key"],
    ["without a signature", () => `${part({ alg: "none" })}.${part(CLAIMS)}.`, "notApplicable", ""],
    [
      "of algorithm none with something in its place",
      () => `${part({ alg: "none" })}.${part(CLAIMS)}.AAAA`,
      "failed",
      "not signed by a key",
    ],
    [
      "of algorithm HS256 with the public key as secret",
      () => hmac({ alg: "HS256", kid: ours.id }),
      "failed",
      "not signed by a key",
    ],
    ["the same without a key's name", () => hmac({ alg: "HS256" }), "failed", "not signed by a key"],
    ["RS256 said to be PS256", () => withHeader({ alg: "PS256" }), "failed", "not signed by a key"],
    ["RS256 said to be ES256", () => withHeader({ alg: "ES256", kid: ours.id }), "failed", "not signed by a key"],
    [
      "with its own key in the header",
      () =>
        signToken(CLAIMS, theirs).then((token) =>
          token.replace(/^[^.]+/, part({ alg: "ES256", jwk: publishedKey(theirs) })),
        ),
      "failed",
      "not signed by a key",
    ],
    [
      "with an address of keys in the header",
      () => withHeader({ alg: "ES256", jku: "https://evil", x5u: "https://evil", kid: "../../key" }),
      "failed",
      "not signed by a key",
    ],
    [
      "with a header that has to be understood",
      () => withHeader({ alg: "RS256", crit: ["b64"], b64: false }),
      "notApplicable",
      "",
    ],
    ["with a key's name that is no text", () => withHeader({ alg: "RS256", kid: { $ne: "" } }), "notApplicable", ""],
    [
      "with another claim after it was signed",
      async () => (await signToken(CLAIMS, ours)).replace(/\.[^.]+\./, `.${part({ ...CLAIMS, sub: "admin" })}.`),
      "failed",
      "not signed by a key",
    ],
    ["of thousands of nested lists", deep, "notApplicable", ""],
    ["of two parts", () => `${part({ alg: "RS256" })}.${part(CLAIMS)}`, "notApplicable", ""],
    ["of five parts", () => "a.b.c.d.e", "notApplicable", ""],
    ["of no base64", () => "!!.??.**", "notApplicable", ""],
    ["of base64 with an odd length", () => "a.b.c", "notApplicable", ""],
    ["of bytes that are no JSON", () => "AAAA.AAAA.AAAA", "notApplicable", ""],
    [
      "bound to a pod without a uid",
      () => signToken(bound({ pod: { name: "p" } }), ours),
      "failed",
      "a claim is missing",
    ],
    ["bound to a pod that is text", () => signToken(bound({ pod: "p" }), ours), "failed", "a claim is missing"],
    [
      "of an account without a uid",
      () => signToken(bound({ serviceaccount: { name: "robot" } }), ours),
      "failed",
      "a claim is missing",
    ],
    [
      "of an account that was made anew",
      () => signToken(bound({ serviceaccount: { name: "robot", uid: "account-0" } }), ours),
      "failed",
      "no longer exists",
    ],
    [
      "of an account that is not there",
      () => signToken(bound({ serviceaccount: { name: "gone", uid: "account-1" } }), ours),
      "failed",
      "no longer exists",
    ],
    [
      "of an account of another namespace",
      () => signToken(bound({ namespace: "other" }), ours),
      "failed",
      "no longer exists",
    ],
    [
      "bound to a node that is not there",
      () => signToken(bound({ node: { name: "n", uid: "1" } }), ours),
      "failed",
      "the Node",
    ],
  ])("%s", async (_what, make, kind, reason) => {
    const token = await make();
    const outcome = await find(token);
    expect(outcome.kind).toBe(kind);
    if (outcome.kind === "failed") {
      expect(outcome.reason).toContain(reason);
      expect(outcome.reason).not.toContain(token.split(".")[2] || "no signature");
    } else expect(outcome).toBe(NOT_APPLICABLE);
  });

  test("the last of duplicate claims is used", async () => {
    expect(await find(await twice())).toMatchObject({ user: { name: "system:serviceaccount:ns:robot" } });
  });
});

describe("a cached token result is invalidated with the objects that it depends on", () => {
  const asked = async (of: RememberedTokens, token: string) => (await of.authenticateToken(token, FOR_US)).kind;
  const remembered = () => new RememberedTokens(tokensOf(), { clock: { now: () => nowMs, elapsed: () => nowMs } });

  test.each<[string, () => void]>([
    ["its account is deleted", () => objects.delete("ServiceAccount ns/robot")],
    [
      "its account is marked for deletion",
      () => objects.set("ServiceAccount ns/robot", { uid: "account-1", deletedAtMs: nowMs }),
    ],
    [
      "its account is made anew",
      () => objects.set("ServiceAccount ns/robot", { uid: "account-2", deletedAtMs: undefined }),
    ],
    ["its pod is deleted", () => objects.delete("Pod ns/p")],
    [
      "its pod had to have ended a minute ago",
      () => objects.set("Pod ns/p", { uid: "pod-1", deletedAtMs: nowMs - 60_001 }),
    ],
    ["its Secret is deleted", () => objects.delete("Secret ns/s")],
    ["the keys are others", () => ring.replace("ours", [theirs])],
    [
      "its time has come",
      () => {
        nowMs = (CLAIMS.exp + 61) * 1000;
      },
    ],
  ])("%s", async (_what, change) => {
    objects.set("Pod ns/p", { uid: "pod-1", deletedAtMs: undefined });
    objects.set("Secret ns/s", { uid: "secret-1", deletedAtMs: undefined });
    const more = { pod: { name: "p", uid: "pod-1" }, secret: { name: "s", uid: "secret-1" } };
    const token = await signToken(bound(more), ours);
    const tokens = remembered();
    expect(await asked(tokens, token)).toBe("authenticated");
    expect(tokens.authenticateToken(token, FOR_US)).not.toBeInstanceOf(Promise);
    change();
    expect(await asked(tokens, token)).toBe("failed");
  });

  test("a pod that is told to end keeps its token until it has", async () => {
    objects.set("Pod ns/p", { uid: "pod-1", deletedAtMs: nowMs + 30_000 });
    expect(await find(await signToken(bound({ pod: { name: "p", uid: "pod-1" } }), ours))).toMatchObject({
      kind: "authenticated",
    });
  });

  test("an account that another server has stored a moment ago is waited for, and asked about once for all", async () => {
    objects.clear();
    late = () => objects.set("ServiceAccount ns/robot", { uid: "account-1", deletedAtMs: undefined });
    const token = await signToken(CLAIMS, ours);
    const tokens = remembered();
    const both = await Promise.all([asked(tokens, token), asked(tokens, token)]);
    expect([both, looks]).toEqual([["authenticated", "authenticated"], 1]);
  });

  test("without the store it is refused for now, and asked about again", async () => {
    objects.clear();
    late = () => {
      throw new Error("no store");
    };
    const token = await signToken(CLAIMS, ours);
    const tokens = remembered();
    expect(await asked(tokens, token)).toBe("failed");
    late = undefined;
    objects.set("ServiceAccount ns/robot", { uid: "account-1", deletedAtMs: undefined });
    expect(await asked(tokens, token)).toBe("authenticated");
  });

  test("a token with an invalid signature causes no lookups", async () => {
    objects.clear();
    await find(await signToken(CLAIMS, theirs));
    expect(looks).toBe(0);
  });
});

describe("a token that lives longer than was asked", () => {
  const claims = bound(
    { warnafter: NOW_S + 3607, pod: { name: "p", uid: "pod-1" } },
    { ...CLAIMS, exp: NOW_S + 31_536_000 },
  );

  test("is told, and counted, once its asked time is over, though it was known before", async () => {
    objects.set("Pod ns/p", { uid: "pod-1", deletedAtMs: undefined });
    const token = await signToken(claims, ours);
    const tokens = new RememberedTokens(tokensOf(), { clock: { now: () => nowMs, elapsed: () => nowMs } });
    const use = () => {
      const outcome = tokens.authenticateToken(token, FOR_US) as AuthenticationOutcome;
      return outcome.kind === "authenticated" ? outcome.used?.() : outcome.kind;
    };
    expect([use(), use()]).toEqual([undefined, undefined]);
    nowMs = (NOW_S + 3700) * 1000;
    expect(use()).toEqual({
      annotations: {
        "authentication.orch.io/stale-token":
          "subject: system:serviceaccount:ns:robot, seconds after warning threshold: 93",
      },
    });
    expect(uses).toEqual(["valid", "valid", "stale"]);
  });
});

describe("a token that is kept in a Secret", () => {
  const keep = (token: string, more: Partial<TokenSecret> = {}) =>
    secrets.set("ns/robot-token", {
      ...{ uid: "s", deletedAtMs: undefined, lastUsed: "", invalidSince: "" },
      tokenDigest: hash("sha256", token, "buffer"),
      ...more,
    });

  test("is good as long as it is there", async () => {
    const token = await signToken(LEGACY, ours);
    expect(await find(token)).toMatchObject({ kind: "failed" });
    keep(token);
    const good = await find(token);
    expect(good).toMatchObject({ kind: "authenticated", user: { uid: "account-1" }, audiences: [ISSUER] });
    expect(good.kind === "authenticated" && good.used?.()).toEqual({
      annotations: { "authentication.orch.io/legacy-token": "system:serviceaccount:ns:robot" },
    });
    keep(`${token}x`);
    expect(await find(token)).toMatchObject({ kind: "failed" });
  });

  test.each([
    ["that its account names", true, "legacy-token-autogenerated-secret", "automatic"],
    ["that somebody made for it", false, "legacy-token-manual-secret", "manual"],
  ])(
    "%s is told apart where its use is followed, and whoever uses it is warned of the first sort",
    async (_what, isNamed, key, sort) => {
      const token = await signToken(LEGACY, ours);
      keep(token, { lastUsed: "2023-11-01" });
      if (isNamed) references.add("ns/robot robot-token");
      const followed: UsedSecret[] = [];
      const tokens = tokensOf({ secretUsed: (secret) => void followed.push(secret) });
      const outcome = (await tokens.authenticateToken(token, FOR_US)) as Authenticated;
      const notes = outcome.used?.();
      expect(notes?.annotations).toEqual({
        "authentication.orch.io/legacy-token": "system:serviceaccount:ns:robot",
        [`authentication.orch.io/${key}`]: "robot-token",
      });
      expect(notes?.warning?.startsWith("Use tokens from the TokenRequest API")).toBe(isNamed || undefined);
      expect(uses).toEqual(["legacy", sort]);
      expect(followed).toEqual([{ namespace: "ns", name: "robot-token", uid: "s", lastUsed: "2023-11-01" }]);
    },
  );

  test("is refused while its Secret is marked, told as such, and good again when the mark is taken off", async () => {
    const token = await signToken(LEGACY, ours);
    const followed: UsedSecret[] = [];
    const secretUsed = (secret: UsedSecret) => void followed.push(secret);
    const method = tokenUnion([tokensOf({ secretUsed })]);
    const tokens = unionOf([
      bearerTokenAuthenticator(new RememberedTokens(method, { clock: { now: () => nowMs, elapsed: () => nowMs } })),
    ]);
    const request = { headers: { authorization: `Bearer ${token}` }, audiences: [], signal: NEVER_ENDS } as never;
    keep(token, { invalidSince: "2023-11-01" });
    expect(await tokens.authenticate(request)).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining("orch.io/legacy-token-invalid-since"),
      annotations: { "authentication.orch.io/legacy-token-invalidated": "robot-token/ns" },
    });
    expect([uses, followed.length]).toEqual([["invalid"], 1]);
    keep(token);
    expect(await tokens.authenticate(request)).toMatchObject({ kind: "authenticated" });
    keep(token, { invalidSince: "2023-11-01" });
    expect(await tokens.authenticate(request)).toMatchObject({ kind: "failed" });
  });

  test("a token of a Secret is accepted without the Secret when the lookup is disabled", async () => {
    const token = await signToken(LEGACY, ours);
    objects.clear();
    const outcome = tokensOf({ lookup: false }).authenticateToken(token, FOR_US);
    expect(outcome).toMatchObject({ kind: "authenticated" });
  });

  test.each([
    ["of another subject", { ...LEGACY, sub: "system:serviceaccount:ns:admin" }],
    ["of no Secret", { ...LEGACY, "orch.io/serviceaccount/secret.name": undefined }],
    ["that has ended", { ...LEGACY, exp: NOW_S - 61 }],
  ])("%s is refused", async (_what, claims) => {
    const token = await signToken(claims, ours);
    keep(token);
    expect(await find(token)).toMatchObject({ kind: "failed" });
  });

  test("is for this server alone", async () => {
    const token = await signToken(LEGACY, ours);
    keep(token);
    expect(await find(token, ["vault"])).toMatchObject({ kind: "failed" });
    expect(await find(token, ["vault", ISSUER])).toMatchObject({ audiences: [ISSUER] });
  });
});

describe("keys come from PEM files", () => {
  test("with any number of public keys, private keys and other blocks", () => {
    const publicPem = createPublicKey(rsaPem).export({ type: "pkcs1", format: "pem" }) as string;
    const pem = `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${pemOf("P-384")}\n# note\n${publicPem}`;
    expect(parseVerificationKeys(pem).map(({ algorithm }) => algorithm)).toEqual(["ES384", "RS256"]);
    expect(parseVerificationKeys(publicPem)[0]?.id).toBe(ours.id);
  });

  test.each([
    ["nothing", "", "no PEM block"],
    [
      "a key that signs no tokens",
      generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }) as string,
      "cannot sign tokens",
    ],
    ["a curve that is not used", pemOf("secp256k1"), "cannot sign tokens"],
    ["half a key", rsaPem.replace(/\n.{20}/, "\n"), "contains no valid key"],
  ])("is refused: %s", (_what, pem, text) => {
    let message = "";
    try {
      parseVerificationKeys(pem);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(text);
    expect(message).not.toContain(pem.split("\n")[1] || "a line of the key");
  });
});
