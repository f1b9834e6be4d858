import { describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { ManualClock, settled } from "@orch/testing";
import { type AuthenticationOutcome, NOT_APPLICABLE } from "../authentication/authenticator";
import { SIGNATURE_ALGORITHMS } from "../tokens/signed/signature-algorithm";
import { DistributedClaims } from "./distributed-claims";
import { IssuerKeys } from "./issuer-keys";
import { JwtAuthenticator } from "./jwt-authenticator";
import type { JwtConfiguration } from "./jwt-configuration";
import {
  AUDIENCE,
  ISSUER,
  type PairName,
  published,
  signed,
  signedWithPublicKey,
  unsigned,
} from "./testing/issued-tokens";

const PLAIN: JwtConfiguration = {
  issuer: { url: ISSUER, audiences: [AUDIENCE] },
  algorithms: SIGNATURE_ALGORITHMS,
  claimRules: [],
  username: { kind: "claim", claim: "sub", prefix: "o:" },
  groups: { kind: "claim", claim: "groups", prefix: "g:" },
  extra: [],
  userRules: [],
};

/** An issuer whose documents a test may change, with a count of the requests to it. */
function issuer(
  configuration: Partial<JwtConfiguration> = {},
  keys: readonly object[] = [published("first")],
  credentialKey?: string,
) {
  const clock = new ManualClock();
  const state = { keys, asked: 0, answers: true, sourceAnswer: "", sourceAsked: [] as string[] };
  const fetchJson = async (url: string): Promise<JsonObject> => {
    state.asked += 1;
    if (!state.answers) throw new Error("nobody there");
    if (url.endsWith("/.well-known/openid-configuration")) return { issuer: ISSUER, jwks_uri: `${ISSUER}/keys` };
    return { keys: state.keys } as unknown as JsonObject;
  };
  const issuerKeys = new IssuerKeys({ issuer: ISSUER }, { fetchJson, clock, chance: () => 0 });
  const all = { ...PLAIN, ...configuration };
  const distributed = new DistributedClaims(
    { claim: "groups", issuer: ISSUER, keys: issuerKeys, audiences: [AUDIENCE], algorithms: all.algorithms },
    {
      fetchText: async (url, token) => {
        state.sourceAsked.push(`${url} ${token}`);
        if (state.sourceAnswer === "") throw new Error("nobody there");
        return state.sourceAnswer;
      },
      issuerKeys: (url) => new IssuerKeys({ issuer: url }, { fetchJson, clock, chance: () => 0 }),
      clock,
    },
  );
  const inForce = { is: true };
  const authenticator = new JwtAuthenticator(
    [{ configuration: all, keys: issuerKeys, distributed }],
    { clock, credentialKey },
    () => inForce.is,
  );
  const ask = (token: string) => authenticator.authenticateToken(token);
  const token = (claims: object = {}, how: Parameters<typeof signed>[1] = {}) => signed(claims, how, clock.now());
  return { clock, state, issuerKeys, ask, token, inForce };
}

async function ready(...of: Parameters<typeof issuer>) {
  const made = issuer(...of);
  made.issuerKeys.start();
  await settled();
  return made;
}

const nameOf = (outcome: AuthenticationOutcome) => (outcome.kind === "authenticated" ? outcome.user.name : outcome);
const reasonOf = (outcome: AuthenticationOutcome) => (outcome.kind === "failed" ? outcome.reason : outcome.kind);

describe("a token of the issuer", () => {
  test.each<[string, PairName]>([
    ["RS256", "first"],
    ["RS384", "first"],
    ["RS512", "first"],
    ["PS256", "first"],
    ["PS384", "first"],
    ["PS512", "first"],
    ["ES256", "p256"],
    ["ES384", "p384"],
    ["ES512", "p521"],
  ])("signed by %s is its user's, for as long as it is good", async (alg, key) => {
    const { ask, token, clock } = await ready({}, [
      published("first"),
      published("p256"),
      published("p384"),
      published("p521"),
    ]);
    expect(await ask(token({ groups: ["a", "b"] }, { alg, key }))).toMatchObject({
      kind: "authenticated",
      user: { name: "o:ann", groups: ["g:a", "g:b"] },
      standing: { untilMs: Math.floor(clock.now() / 1000) * 1000 + 600_000 },
    });
  });

  test("is found by each key where it names none", async () => {
    const { ask, token } = await ready({}, [published("second"), published("first")]);
    expect(nameOf(await ask(token({}, { header: { kid: undefined } })))).toBe("o:ann");
  });

  const at = (clock: ManualClock, seconds: number) => Math.floor(clock.now() / 1000) + seconds;
  type Made = Awaited<ReturnType<typeof ready>>;
  test.each<[string, (made: Made) => string, RegExp]>([
    ["is expired", ({ token, clock }) => token({ exp: at(clock, 0) }), /has expired/],
    ["says nothing of when it expires", ({ token }) => token({ exp: undefined }), /lacks exp/],
    ["expires at no time", ({ token }) => token({ exp: "tomorrow" }), /lacks exp/],
    ["is not good yet", ({ token, clock }) => token({ nbf: at(clock, 400) }), /not valid yet/],
    ["begins at no time", ({ token }) => token({ nbf: "soon" }), /nbf is not a time/],
    ["is for somebody else", ({ token }) => token({ aud: ["other", `${AUDIENCE}x`] }), /audiences/],
    ["is for nobody", ({ token }) => token({ aud: undefined }), /audiences/],
    ["is not signed", ({ clock }) => unsigned({}, clock.now(), "RS256"), /notApplicable/],
    ["is signed by none", ({ clock }) => `${unsigned({}, clock.now())}AA`, /algorithm/],
    ["is signed with the public key as a secret", ({ clock }) => signedWithPublicKey({}, clock.now()), /algorithm/],
    [
      "is another's key's under this one's name",
      ({ token }) => token({}, { key: "second", header: { kid: "first" } }),
      /signature is invalid/,
    ],
    [
      "brings the key along",
      ({ token }) => token({}, { key: "second", header: { kid: "first", jwk: published("second") } }),
      /signature is invalid/,
    ],
    [
      "points to the key",
      ({ token }) =>
        token({}, { key: "second", header: { kid: "x", jku: "https://evil.test", x5u: "https://evil.test" } }),
      /signed with an unknown key/,
    ],
    ["asks for what is not understood", ({ token }) => token({}, { header: { crit: ["exp"] } }), /notApplicable/],
    ["uses a key for what it is not", ({ token }) => token({}, { alg: "PS256" }), /signed with an unknown key/],
    ["names nobody", ({ token }) => token({ sub: undefined }), /claim sub is missing/],
    ["names somebody empty", ({ token }) => token({ sub: "" }), /username is empty/],
    ["names no text", ({ token }) => token({ sub: ["ann"] }), /claim sub is not a string/],
    ["has groups that are none", ({ token }) => token({ groups: [1] }), /neither a string nor a list of strings/],
    [
      "was changed",
      ({ token }) => token().replace(/\.[^.]+\./, `.${token({ sub: "bob" }).split(".")[1]}.`),
      /signature is invalid/,
    ],
  ])("that %s is refused", async (_what, make, reason) => {
    const made = await ready({}, [published("first", { alg: "RS256" })]);
    const outcome = await made.ask(make(made));
    expect(reasonOf(outcome)).toMatch(reason);
  });

  test("is none of this method's where another has issued it, or where it is no such token", async () => {
    const { ask, token } = await ready();
    for (const other of [
      token({ iss: "https://other.test" }),
      token({ iss: undefined }),
      "s3cret",
      "a.b",
      "a.b.c.d",
      "..",
      "e30.e30.",
    ])
      expect(ask(other)).toBe(NOT_APPLICABLE);
  });

  test("is verified anew when its keys or the configuration are others", async () => {
    const { ask, token, state, clock, inForce } = await ready();
    const outcome = await ask(token());
    const holds = outcome.kind === "authenticated" ? outcome.standing?.holds : undefined;
    await clock.pass(601_000);
    expect(holds?.()).toBe(true); // fetched again with the same result
    state.keys = [published("second")];
    await clock.pass(601_000);
    expect(holds?.()).toBe(false);
    const later = await ask(token({}, { key: "second" }));
    inForce.is = false;
    expect(later.kind === "authenticated" && later.standing?.holds?.()).toBe(false);
  });
});

describe("the email as a name", () => {
  const username = { kind: "claim", claim: "email", prefix: "" } as const;
  test.each<[string, object, string | RegExp]>([
    ["is believed where nothing is said of it", { email: "a@b.c" }, "a@b.c"],
    ["is believed where it is verified", { email: "a@b.c", email_verified: true }, "a@b.c"],
    ["is refused where it is not", { email: "a@b.c", email_verified: false }, /not verified/],
    ["is refused where that is a word", { email: "a@b.c", email_verified: "true" }, /is not a boolean/],
  ])("%s", async (_what, claims, expected) => {
    const { ask, token } = await ready({ username });
    const outcome = await ask(token(claims));
    expect(outcome.kind === "authenticated" ? outcome.user.name : reasonOf(outcome)).toEqual(
      typeof expected === "string" ? expected : expect.stringMatching(expected),
    );
  });
});

test("claims that are required have to be there with their values", async () => {
  const { ask, token } = await ready({ claimRules: [{ kind: "claim", claim: "hd", requiredValue: "example.com" }] });
  expect(nameOf(await ask(token({ hd: "example.com" })))).toBe("o:ann");
  for (const hd of [undefined, "other", 1, ["example.com"]])
    expect(reasonOf(await ask(token({ hd })))).toMatch(/required claim hd/);
});

describe("the keys of an issuer", () => {
  test("the fetch of keys is retried while the issuer is unavailable", async () => {
    const made = issuer();
    made.state.answers = false;
    made.issuerKeys.start();
    await settled();
    expect(reasonOf(await made.ask(made.token()))).toMatch(/have not been fetched yet/);
    await made.clock.pass(8_000);
    made.state.answers = true;
    await made.clock.pass(16_000);
    expect(nameOf(await made.ask(made.token()))).toBe("o:ann");
  });

  test("that are new are fetched for the first token that names one, which waits for them", async () => {
    const { ask, token, state, clock } = await ready();
    state.keys = [published("first"), published("second")];
    await clock.pass(10_000);
    const waiting = ask(token({}, { key: "second" }));
    expect(waiting).toBeInstanceOf(Promise);
    expect(nameOf(await waiting)).toBe("o:ann");
  });

  test("are not asked for more often however many tokens name others", async () => {
    const { ask, token, state, clock } = await ready();
    await clock.pass(10_000);
    const before = state.asked;
    for (let each = 0; each < 500; each += 1) await ask(token({}, { header: { kid: `guess-${each}` } }));
    expect(state.asked - before).toBe(2); // one document each
    await clock.pass(20_000);
    expect(state.asked - before).toBeLessThanOrEqual(4);
  });

  test("the previous keys remain when the new ones are invalid or cannot be fetched", async () => {
    const { ask, token, state, clock } = await ready();
    for (const keys of [
      [],
      [{ kty: "oct", k: "AAAA", kid: "first" }],
      Array.from({ length: 10_000 }, () => published("second")),
    ]) {
      state.keys = keys;
      await clock.pass(700_000);
      expect(nameOf(await ask(token()))).toBe("o:ann");
    }
    state.answers = false;
    await clock.pass(700_000);
    expect(nameOf(await ask(token()))).toBe("o:ann");
  });
});

test.each<[object, object | undefined]>([
  [{ jti: "7" }, { id: ["JTI=7"] }],
  [{ jti: "" }, undefined],
  [{ jti: 7 }, undefined],
  [{}, undefined],
])("a user carries the id of the token: %j", async (claims, extra) => {
  const { ask, token } = await ready({}, undefined, "id");
  const outcome = await ask(token(claims));
  expect(outcome.kind === "authenticated" && outcome.user.extra).toEqual(extra);
});

describe("distributed group claims", () => {
  const elsewhere = {
    _claim_names: { groups: "source" },
    _claim_sources: { source: { endpoint: "https://groups.test/ann", access_token: "t0ken" } },
  };

  test("are asked for where the token says so, and stand for a while", async () => {
    const { ask, token, state } = await ready();
    state.sourceAnswer = token({ groups: ["far"] });
    expect(await ask(token(elsewhere))).toMatchObject({
      user: { name: "o:ann", groups: ["g:far"] },
      standing: { forMs: 60_000 },
    });
    expect(state.sourceAsked).toEqual(["https://groups.test/ann t0ken"]);
  });

  test("are not asked for where the token says them itself, or says that they are somewhere inside", async () => {
    const { ask, token, state } = await ready();
    expect(await ask(token({ ...elsewhere, groups: "near" }))).toMatchObject({ user: { groups: ["g:near"] } });
    expect(await ask(token({ ...elsewhere, _claim_sources: { source: { JWT: "x" } } }))).toMatchObject({
      user: { groups: [] },
    });
    expect(state.sourceAsked).toEqual([]);
  });

  test.each<[string, (token: (claims: object, how?: object) => string) => string, RegExp]>([
    ["answers nothing", () => "", /nobody there/],
    ["answers garbage", () => "garbage", /not a signed token/],
    [
      "answers what another key has signed",
      (token) => token({ groups: [] }, { key: "second", header: { kid: "first" } }),
      /not verified/,
    ],
    ["answers what is for others", (token) => token({ aud: "x", groups: [] }), /audiences/],
    ["answers what has expired", (token) => token({ exp: 1, groups: [] }), /expired/],
    ["does not say them", (token) => token({}), /lacks the claim/],
  ])("are refused with the token where the source %s", async (_what, answer, reason) => {
    const { ask, token, state } = await ready();
    state.sourceAnswer = answer((claims, how = {}) => token(claims, how));
    const said = reasonOf(await ask(token(elsewhere)));
    expect(said).toMatch(reason);
    expect(said).not.toContain("t0ken");
  });

  test.each<[string, object]>([
    ["no source", { _claim_names: { groups: "x" }, _claim_sources: {} }],
    ["a source that is no object", { ...elsewhere, _claim_sources: { source: "x" } }],
    ["names that are none", { ...elsewhere, _claim_names: ["groups"] }],
    [
      "a token that breaks a header",
      { ...elsewhere, _claim_sources: { source: { endpoint: "https://x", access_token: "a\r\nb" } } },
    ],
  ])("are refused with the token that has %s", async (_what, claims) => {
    const { ask, token } = await ready();
    expect(reasonOf(await ask(token(claims)))).toMatch(/oidc: /);
  });
});
