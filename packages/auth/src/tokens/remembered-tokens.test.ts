import { describe, expect, test } from "@jest/globals";
import { NEVER_ENDS } from "@orch/platform";
import { ManualClock } from "@orch/testing";
import {
  type AuthenticationOutcome,
  failed,
  NOT_APPLICABLE,
  NOT_REMEMBERED,
  type TokenAuthenticator,
  type TokenCacheLifetime,
} from "../authentication/authenticator";
import { RememberedTokens, type TokenCacheObserver } from "./remembered-tokens";
import { tokenUnion } from "./token-union";

const FOR_US = { audiences: [], signal: NEVER_ENDS };
const at = (...audiences: string[]) => ({ audiences, signal: NEVER_ENDS });
const ann = (standing?: TokenCacheLifetime): AuthenticationOutcome => ({
  kind: "authenticated",
  user: { name: "ann", groups: [] },
  ...(standing && { standing }),
});

/** A method that counts its calls, and a cache around it whose clock the test controls. */
function remembered(
  answer: (token: string, audiences: readonly string[]) => ReturnType<TokenAuthenticator["authenticateToken"]>,
) {
  const asked: string[] = [];
  const clock = new ManualClock(1_000_000);
  const seen: string[] = [];
  const observer: TokenCacheObserver = {
    asked: (status) => seen.push(status),
    fetched: (status) => seen.push(status),
    fetching: (status, by) => seen.push(`${status}${by}`),
  };
  const method: TokenAuthenticator = {
    authenticateToken(token, { audiences }) {
      asked.push(token);
      return answer(token, audiences);
    },
  };
  const options = { clock, bounds: { entriesMax: 8, bytesMax: 100_000 }, observer };
  return { tokens: new RememberedTokens(method, options), asked, clock, seen };
}

describe("a token that was found good", () => {
  test("is not verified again, and its user is the same object, counted among the authenticated", () => {
    const { tokens, asked, seen } = remembered(() => ann());
    const first = tokens.authenticateToken("t", FOR_US) as Extract<AuthenticationOutcome, { kind: "authenticated" }>;
    const again = tokens.authenticateToken("t", FOR_US) as typeof first;
    expect(again.user).toBe(first.user);
    expect(first.user.groups).toEqual(["system:authenticated"]);
    expect(asked).toEqual(["t"]);
    expect(seen).toEqual(["ok", "miss", "hit"]);
  });

  test.each<[string, TokenCacheLifetime | undefined, number, number]>([
    ["nothing is said of how long it stands: for a short while", undefined, 9_999, 10_000],
    ["it stands until a time: until then", { untilMs: 1_050_000 }, 49_999, 50_000],
    ["it stands for so long: for so long", { untilMs: 9_000_000, forMs: 30_000 }, 29_999, 30_000],
  ])("%s", (_of, standing, stillMs, overMs) => {
    const { tokens, asked, clock } = remembered(() => ann(standing));
    tokens.authenticateToken("t", FOR_US);
    clock.advance(stillMs);
    tokens.authenticateToken("t", FOR_US);
    expect(asked).toHaveLength(1);
    clock.advance(overMs - stillMs);
    tokens.authenticateToken("t", FOR_US);
    expect(asked).toHaveLength(2);
  });

  test("is asked about at once when what it rested on has changed", () => {
    let isThere = true;
    const { tokens, asked } = remembered(() => (isThere ? ann({ holds: () => isThere }) : failed("it is gone")));
    tokens.authenticateToken("t", FOR_US);
    isThere = false;
    expect(tokens.authenticateToken("t", FOR_US)).toMatchObject({ kind: "failed", reason: "it is gone" });
    expect(asked).toHaveLength(2);
  });

  test("is another question for other audiences", () => {
    const { tokens, asked } = remembered((_token, audiences) =>
      audiences.includes("a") ? { ...ann(), audiences: ["a"] } : failed("for none of them"),
    );
    expect(tokens.authenticateToken("t", at("a", "b"))).toMatchObject({ audiences: ["a"] });
    expect(tokens.authenticateToken("t", at("b"))).toMatchObject({ kind: "failed" });
    expect(tokens.authenticateToken('t ["a"]', at())).toMatchObject({ kind: "failed" });
    expect(tokens.authenticateToken("t", at('a","b'))).toMatchObject({ kind: "failed" });
    expect(asked).toHaveLength(4);
  });
});

describe("a token that was refused", () => {
  test("is refused from memory for a short while", () => {
    const { tokens, asked, clock } = remembered(() => failed("no"));
    for (let i = 0; i < 5; i++) tokens.authenticateToken("t", FOR_US);
    expect(asked).toHaveLength(1);
    clock.advance(2_000);
    tokens.authenticateToken("t", FOR_US);
    expect(asked).toHaveLength(2);
  });

  test("is asked about again where the refusal says nothing of the token", () => {
    const { tokens, asked } = remembered(() => failed("nobody could be reached", NOT_REMEMBERED));
    tokens.authenticateToken("t", FOR_US);
    tokens.authenticateToken("t", FOR_US);
    expect(asked).toHaveLength(2);
  });

  test("an unknown token is verified again", () => {
    const { tokens, asked } = remembered(() => NOT_APPLICABLE);
    tokens.authenticateToken("t", FOR_US);
    tokens.authenticateToken("t", FOR_US);
    expect(asked).toHaveLength(2);
  });

  test("displaces no good one, however many there are", () => {
    const { tokens, asked } = remembered((token) => (token === "good" ? ann({}) : failed("no")));
    tokens.authenticateToken("good", FOR_US);
    for (let i = 0; i < 100; i++) tokens.authenticateToken(`bad ${i}`, FOR_US);
    tokens.authenticateToken("good", FOR_US);
    expect(asked.filter((token) => token === "good")).toHaveLength(1);
  });

  test("stands no longer than each of those who refused it stands by it", () => {
    let changed = false;
    const inTurn = tokenUnion([
      { authenticateToken: () => failed("one", { untilMs: 1_005_000 }) },
      { authenticateToken: () => NOT_APPLICABLE },
      { authenticateToken: async () => failed("two", { untilMs: 1_009_000, holds: () => !changed }) },
    ]);
    const outcome = inTurn.authenticateToken("t", FOR_US);
    return Promise.resolve(outcome).then((refused) => {
      expect(refused).toMatchObject({ reason: "one; two", standing: { untilMs: 1_005_000 } });
      const { standing } = refused as ReturnType<typeof failed>;
      expect(standing?.holds?.()).toBe(true);
      changed = true;
      expect(standing?.holds?.()).toBe(false);
    });
  });
});

describe("when the machine's date was set", () => {
  const HOUR_MS = 3_600_000;

  test("a token that was refused while the clock was ahead is accepted once the clock is right", () => {
    const expiresMs = 1_000_000 + HOUR_MS;
    const { tokens, clock } = remembered(() =>
      clock.now() < expiresMs ? ann({ untilMs: expiresMs }) : failed("ended"),
    );
    clock.step(3 * HOUR_MS);
    expect(tokens.authenticateToken("t", FOR_US)).toMatchObject({ kind: "failed" });
    clock.step(-3 * HOUR_MS);
    expect(tokens.authenticateToken("t", FOR_US)).toMatchObject({ kind: "authenticated" });
  });

  test("a token that was accepted while the clock was behind is refused once the clock is right", () => {
    const expiresMs = 1_000_000 + HOUR_MS;
    const { tokens, clock } = remembered(() =>
      clock.now() < expiresMs ? ann({ untilMs: expiresMs }) : failed("ended"),
    );
    expect(tokens.authenticateToken("t", FOR_US)).toMatchObject({ kind: "authenticated" });
    clock.step(2 * HOUR_MS);
    expect(tokens.authenticateToken("t", FOR_US)).toMatchObject({ kind: "failed" });
  });

  test.each([-HOUR_MS, HOUR_MS])("cached results expire at a jump of %d ms", (byMs) => {
    const { tokens, asked, clock } = remembered(() => ann({ forMs: 10_000 }));
    tokens.authenticateToken("t", FOR_US);
    clock.step(byMs);
    tokens.authenticateToken("t", FOR_US);
    expect(asked).toHaveLength(2);
    clock.advance(10_000);
    tokens.authenticateToken("t", FOR_US);
    expect(asked).toHaveLength(3);
  });

  test("cached results stay at a jump of less than a second, the drift of the two clocks", () => {
    const { tokens, asked, clock } = remembered(() => ann());
    tokens.authenticateToken("t", FOR_US);
    clock.step(-900);
    tokens.authenticateToken("t", FOR_US);
    expect(asked).toHaveLength(1);
  });
});

describe("tokens that are verified elsewhere", () => {
  test("are verified once for all who bring the same one at the same time", async () => {
    let answer: (outcome: AuthenticationOutcome) => void = () => {};
    const { tokens, asked, seen } = remembered(() => new Promise((resolve) => (answer = resolve)));
    const all = Array.from({ length: 3 }, () => tokens.authenticateToken("t", FOR_US));
    answer(ann({}));
    const users = (await Promise.all(all)).map((outcome) => outcome.kind === "authenticated" && outcome.user);
    expect(new Set(users).size).toBe(1);
    expect(asked).toEqual(["t"]);
    expect(seen.toSorted()).toEqual(
      [
        "in_flight1",
        "blocked1",
        "blocked1",
        "ok",
        "miss",
        "miss",
        "miss",
        "in_flight-1",
        "blocked-1",
        "blocked-1",
      ].toSorted(),
    );
  });

  test("are asked about again after a failure of the method itself, which is that of all who wait", async () => {
    const { tokens, asked } = remembered(() => Promise.reject(new Error("broken")));
    const both = [tokens.authenticateToken("t", FOR_US), tokens.authenticateToken("t", FOR_US)];
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await expect(tokens.authenticateToken("t", FOR_US)).rejects.toThrow("broken");
    expect(asked).toHaveLength(2);
  });
});

test("memory is bounded in entries: what was not used while half of the room was filled goes first", () => {
  const { tokens, asked } = remembered(() => ann({}));
  const times = (token: string) => asked.filter((each) => each === token).length;
  for (let i = 0; i < 50; i++) {
    tokens.authenticateToken(`other ${i}`, FOR_US);
    tokens.authenticateToken("used", FOR_US);
  }
  tokens.authenticateToken("other 0", FOR_US);
  expect(times("used")).toBe(1);
  expect(times("other 0")).toBe(2);
});

test("memory is bounded in bytes: a user who alone would fill a good part of it is not remembered", () => {
  const user = { name: "ann", groups: ["g".repeat(10_000)] };
  const { tokens, asked } = remembered(() => ({ kind: "authenticated", user, standing: {} }));
  tokens.authenticateToken("t", FOR_US);
  tokens.authenticateToken("t", FOR_US);
  expect(asked).toHaveLength(2);
});
