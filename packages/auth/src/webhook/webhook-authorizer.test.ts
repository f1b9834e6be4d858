import { describe, expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { ManualClock } from "@orch/testing";
import { type Attributes, type Decision, rulesFor } from "../authorization/authorizer";
import { type MatchConditions, WebhookAuthorizer, type WebhookOptions, WebhookTimeout } from "./webhook-authorizer";

const vocabulary = vocabularyOf("orch");
const GET_POD: Attributes = {
  kind: "resource",
  user: { name: "ann", uid: "7", groups: ["dev"], extra: { scopes: ["a", "b"] } },
  ...{ verb: "get", apiGroup: "apps", apiVersion: "v1", resource: "deployments" },
  ...{ subresource: "scale", namespace: "shop", name: "web" },
};
const OPTIONS: WebhookOptions = {
  ...{ version: "v1", authorizedTtlMs: 300_000, unauthorizedTtlMs: 30_000 },
  ...{ failurePolicy: "NoOpinion", timeoutMs: 30_000 },
};

type Answer = string | Error | Promise<string>;

function setUp(
  answer: (review: JsonObject, times: number) => Answer,
  options: Partial<WebhookOptions> = {},
  conditions?: MatchConditions,
) {
  const clock = new ManualClock();
  const asked: JsonObject[] = [];
  const told: string[] = [];
  const authorizer = new WebhookAuthorizer(
    { ...OPTIONS, ...options },
    {
      ...{ vocabulary, clock, chance: () => 0, conditions },
      async ask(text) {
        const review = JSON.parse(text) as JsonObject;
        asked.push(review);
        const made = answer(review, asked.length);
        if (made instanceof Error) throw made;
        return made;
      },
      isTransient: (error) => (error as Error).message.startsWith("again"),
      observer: {
        called: (result) => told.push(`called ${result}`),
        failedOpen: (result) => told.push(`open ${result}`),
      },
    },
  );
  const decide = async (change: Partial<Attributes> = {}) =>
    authorizer.authorize({ ...GET_POD, ...change } as Attributes);
  return { authorizer, clock, asked, told, decide };
}

const saying = (status: object, more: object = {}) => JSON.stringify({ status, ...more });
const YES = saying({ allowed: true, reason: "ok" });

describe("a webhook is asked", () => {
  const spec = {
    resourceAttributes: {
      ...{ namespace: "shop", verb: "get", group: "apps", version: "v1" },
      ...{ resource: "deployments", subresource: "scale", name: "web" },
    },
    ...{ user: "ann", uid: "7", extra: { scopes: ["a", "b"] } },
  };

  test.each([
    ["v1", { ...spec, groups: ["dev"] }],
    ["v1beta1", { ...spec, group: ["dev"] }],
  ] as const)("the webhook receives a review of version %s", async (version, expected) => {
    const { decide, asked } = setUp(() => YES, { version });
    await decide();
    expect(asked).toEqual([
      {
        apiVersion: `authorization.orch.io/${version}`,
        kind: "SubjectAccessReview",
        metadata: {},
        spec: expected,
        status: { allowed: false },
      },
    ]);
  });

  test("the review of a path omits empty members", async () => {
    const { authorizer, asked } = setUp(() => YES);
    await authorizer.authorize({
      kind: "nonResource",
      user: { name: "ann", groups: [] },
      verb: "get",
      path: "/metrics",
    });
    expect(asked[0]?.["spec"]).toEqual({ nonResourceAttributes: { path: "/metrics", verb: "get" }, user: "ann" });
  });
});

describe("its answer", () => {
  const UNUSABLE = "the authorization webhook's answer is invalid: ";
  test.each<[string, Answer, Decision]>([
    ["allows", YES, { kind: "allow", reason: "ok" }],
    ["denies", saying({ allowed: false, denied: true, reason: "no" }), { kind: "deny", reason: "no" }],
    ["has no opinion", saying({ allowed: false, reason: "dunno" }), { kind: "noOpinion", reason: "dunno" }],
    ["has no status", "{}", { kind: "noOpinion", reason: "" }],
    [
      "says both",
      saying({ allowed: true, denied: true }),
      { kind: "deny", reason: "", error: "webhook subject access review returned both allow and deny response" },
    ],
    [
      "is of its own version",
      saying({ allowed: true }, { apiVersion: "authorization.orch.io/v1", kind: "SubjectAccessReview" }),
      { kind: "allow", reason: "" },
    ],
    ["tells a long story", saying({ reason: "x".repeat(100_000) }), { kind: "noOpinion", reason: "x".repeat(2048) }],
    ...(
      [
        ["garbage", "<html>", "it is not JSON"],
        ["a list", "[]", "it is not a JSON object"],
        ["nothing", "", "it is not JSON"],
        ["endless brackets", "[".repeat(500_000), "it is not JSON"],
        [
          "another version's",
          saying({}, { apiVersion: "authorization.orch.io/v1beta1" }),
          "its apiVersion is not authorization.orch.io/v1",
        ],
        ["something else", saying({}, { kind: "Pod" }), "its kind is not SubjectAccessReview"],
        ["yes as a word", saying({ allowed: "true" }), "its status.allowed must be true or false"],
        ["a number as a status", '{"status":7}', "its status is not an object"],
        ["a number as a reason", saying({ allowed: true, reason: 7 }), "its status.reason is not a string"],
      ] as const
    ).map(([what, answer, why]): [string, Answer, Decision] => [
      `is ${what}`,
      answer,
      { kind: "noOpinion", reason: "", error: UNUSABLE + why },
    ]),
    [
      "is a refusal that tells a long story",
      new Error("no".repeat(100_000)),
      { kind: "noOpinion", reason: "", error: "no".repeat(512) },
    ],
    ["does not come", new Error("refused"), { kind: "noOpinion", reason: "", error: "refused" }],
  ])("%s", async (_what, answer, decision) => {
    expect(await setUp(() => answer).decide()).toEqual(decision);
  });

  test("that does not come is a refusal, where the failure policy says so", async () => {
    const { decide, told } = setUp(() => new Error("refused"), { failurePolicy: "Deny" });
    expect(await decide()).toEqual({ kind: "deny", reason: "", error: "refused" });
    expect(told).toEqual(["called error"]);
  });

  test("is counted, and a failure that lets others decide as well", async () => {
    const { decide, told } = setUp((_review, times) => (times === 1 ? YES : new WebhookTimeout("late")));
    await decide();
    await decide({ verb: "list" });
    expect(told).toEqual(["called success", "called timeout", "open timeout"]);
  });
});

describe("a failure that passes", () => {
  test("is tried again, five times in all, after growing pauses", async () => {
    const { decide, clock, asked } = setUp(() => new Error("again"));
    const decision = decide();
    for (const [tries, ms] of [500, 750, 1125, 1687.5].entries()) {
      await clock.pass(ms - 1);
      expect(asked).toHaveLength(tries + 1);
      await clock.pass(1);
    }
    expect(asked).toHaveLength(5);
    expect(await decision).toMatchObject({ kind: "noOpinion", error: "again" });
  });

  test("is not tried again when the time of a call is over, and others are not at all", async () => {
    const slow = setUp(() => new Error("again"), { timeoutMs: 600 });
    const decision = slow.decide();
    await slow.clock.pass(10_000);
    expect(await decision).toMatchObject({ error: "again" });
    expect(slow.asked).toHaveLength(3);
    const other = setUp(() => new Error("refused"));
    await other.decide();
    expect(other.asked).toHaveLength(1);
  });
});

describe("cached answers", () => {
  test.each([
    ["yes", YES, 300_000],
    ["no", saying({ denied: true }), 30_000],
    ["nothing", saying({}), 30_000],
  ])("%s, is kept for its time", async (_what, answer, ttlMs) => {
    const { decide, clock, asked } = setUp(() => answer);
    await decide();
    await clock.pass(ttlMs - 1);
    await decide();
    expect(asked).toHaveLength(1);
    await clock.pass(1);
    await decide();
    expect(asked).toHaveLength(2);
  });

  test("is not kept without a time, nor where the call failed, nor of very long names", async () => {
    const untimed = setUp(() => YES, { authorizedTtlMs: 0 });
    await untimed.decide();
    await untimed.decide();
    expect(untimed.asked).toHaveLength(2);
    const failing = setUp(() => "garbage");
    await failing.decide();
    await failing.decide();
    expect(failing.asked).toHaveLength(2);
    const long = setUp(() => YES);
    await long.decide({ name: "x".repeat(10_000) });
    await long.decide({ name: "x".repeat(10_000) });
    expect(long.asked).toHaveLength(2);
  });

  test.each<[string, Partial<Attributes>]>([
    ["verb", { verb: "list" }],
    ["name", { name: "other" }],
    ["namespace", { namespace: "bank" }],
    ["user", { user: { ...GET_POD.user, name: "bob" } }],
    ["uid", { user: { ...GET_POD.user, uid: "8" } }],
    ["groups", { user: { ...GET_POD.user, groups: ["ops"] } }],
    ["many groups", { user: { ...GET_POD.user, groups: Array.from({ length: 200 }, (_, at) => `g${at}`) } }],
    ["extra", { user: { ...GET_POD.user, extra: {} } }],
  ])("is not taken for the answer about another %s", async (_what, change) => {
    const { decide, asked } = setUp(() => YES);
    await decide();
    await decide(change);
    expect(asked).toHaveLength(2);
    await decide(change);
    expect(asked).toHaveLength(2);
  });

  test("makes room for later answers: those that were needed longest ago go", async () => {
    const { decide, asked } = setUp(() => YES);
    for (let index = 0; index < 8192; index += 1) await decide({ name: `n${index}` });
    await decide({ name: "n0" });
    expect(asked).toHaveLength(8192);
    await decide({ name: "one more" });
    await decide({ name: "n0" });
    expect(asked).toHaveLength(8193);
    await decide({ name: "n1" });
    expect(asked).toHaveLength(8194);
  });
});

describe("while a webhook hangs", () => {
  test("the same questions share one call", async () => {
    let answer = (_text: string) => {};
    const { decide, asked } = setUp(() => new Promise<string>((resolve) => (answer = resolve)));
    const all = [decide(), decide(), decide()];
    await Promise.resolve();
    expect(asked).toHaveLength(1);
    answer(YES);
    expect(await Promise.all(all)).toEqual(Array.from({ length: 3 }, () => ({ kind: "allow", reason: "ok" })));
  });

  test("no more than so many questions wait, and fewer of one user", async () => {
    const { authorizer, asked } = setUp(() => new Promise<string>(() => {}));
    const ask = (user: string, index: number) =>
      authorizer.authorize({ ...GET_POD, name: `n${index}`, user: { name: user, groups: [] } });
    const waits = (user: string, index: number) => ask(user, index) instanceof Promise;
    const greedy = Array.from({ length: 1000 }, (_, index) => waits("greedy", index));
    expect(greedy.filter(Boolean)).toHaveLength(256);
    expect(waits("ann", 0)).toBe(true);
    for (let user = 0; user < 20; user += 1) for (let index = 0; index < 256; index += 1) ask(`u${user}`, index);
    await Promise.resolve();
    expect(asked).toHaveLength(2048);
    expect(ask("bob", 0)).toEqual({
      kind: "noOpinion",
      reason: "",
      error: "too many calls of the authorization webhook are queued",
    });
  });
});

describe("conditions", () => {
  test.each<[string, ReturnType<MatchConditions>, number, Decision["kind"]]>([
    ["that hold, have it asked", "asked", 1, "allow"],
    ["that do not hold, leave it out", "notAsked", 0, "noOpinion"],
    ["that cannot say, are a failure", { error: "cannot say" }, 0, "noOpinion"],
  ])("%s", async (_what, match, calls, kind) => {
    const { decide, asked } = setUp(
      () => YES,
      {},
      (question) => (question["user"] === "ann" ? match : "asked"),
    );
    expect(await decide()).toMatchObject({ kind });
    expect(asked).toHaveLength(calls);
  });

  test("that cannot say, refuse where the failure policy says so", async () => {
    const { decide } = setUp(
      () => YES,
      { failurePolicy: "Deny" },
      () => ({ error: "cannot say" }),
    );
    expect(await decide()).toEqual({ kind: "deny", reason: "", error: "cannot say" });
  });
});

test("its rules cannot be listed", () => {
  expect(rulesFor(setUp(() => YES).authorizer, GET_POD.user, "shop")).toMatchObject({
    incomplete: true,
    problem: "webhook authorizer does not support user rule resolution",
  });
});
