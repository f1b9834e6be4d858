// Effect of webhook responses: refusals, warnings, audit annotations, metrics. Source: Kubernetes documentation,
// "Dynamic Admission Control", "Response".
import { describe, expect, test } from "@jest/globals";
import { WebhookCallError } from "../contract/webhook-caller";
import { refusalOf } from "../testing/admission-request";
import {
  ALLOWED,
  type AskedOf,
  askedOf,
  type FakeAnswer,
  type FakeBehaviour,
  fakeWebhooks,
  mutating,
  pass,
  type Review,
  validating,
  type WebhookParts,
  webhook,
} from "../testing/fake-webhooks";

type Kind = "mutating" | "validating";
interface Asked {
  readonly kind?: Kind;
  readonly webhook?: WebhookParts;
  readonly request?: AskedOf;
  readonly release?: string;
}

const NAME = "w.example.com";
const MADE = { mutating, validating } as const;

async function ask(says: FakeBehaviour, { kind = "validating", webhook: parts, request = {}, release }: Asked = {}) {
  const fake = fakeWebhooks([MADE[kind]("c", webhook(NAME, parts))], says, release === undefined ? {} : { release });
  const asked = askedOf(request);
  let status: { code: number; message: string; reason: string } | undefined;
  try {
    await pass(fake.chain(), asked.request);
  } catch (error) {
    status = error as never;
  }
  const { code, message } = status ?? {};
  return { refused: status === undefined ? undefined : { code, message }, status, ...asked, ...fake };
}

const answers =
  (answer: FakeAnswer): FakeBehaviour =>
  () =>
    answer;
const denied = (status?: object): FakeAnswer => ({ allowed: false, ...(status && { status }) });
const DENIED = `admission webhook "${NAME}" denied the request`;

describe("a refusal", () => {
  test.each<[string, object | undefined, number, string]>([
    ["without a word", undefined, 400, `${DENIED} without explanation`],
    ["with an empty status", {}, 400, `${DENIED} without explanation`],
    ["with a message", { message: "no" }, 400, `${DENIED}: no`],
    ["with a reason", { reason: "Teapot" }, 400, `${DENIED}: Teapot`],
    ["with both", { message: "no", reason: "Teapot" }, 400, `${DENIED}: no`],
    ["with a code", { code: 422, message: "no" }, 422, `${DENIED}: no`],
    ["with 403", { code: 403, message: "no" }, 403, `${DENIED}: no`],
    ["with a code of success", { code: 200, message: "no" }, 400, `${DENIED}: no`],
    ["with a redirection", { code: 302, message: "no" }, 400, `${DENIED}: no`],
    ["with a negative code", { code: -7, message: "no" }, 400, `${DENIED}: no`],
    ["with 500", { code: 500, message: "no" }, 500, `${DENIED}: no`],
    ["with 599", { code: 599, message: "no" }, 599, `${DENIED}: no`],
    ["with the first code that is no error of HTTP", { code: 600, message: "no" }, 500, `${DENIED}: no`],
    ["with a code that HTTP has not", { code: 99_999, message: "no" }, 500, `${DENIED}: no`],
    ["with a code that is none", { code: "x", message: "no" }, 400, `${DENIED}: no`],
    ["that calls itself a success", { status: "Success", message: "no" }, 400, `${DENIED}: no`],
  ])("%s", async (_what, status, code, message) => {
    for (const kind of ["mutating", "validating"] as const) {
      expect((await ask(answers(denied(status)), { kind })).refused).toEqual({ code, message });
    }
  });

  test("keeps its reason and its details", async () => {
    const details = { name: "a", kind: "b", causes: [{ reason: "R", message: "m", field: "f" }], retryAfterSeconds: 3 };
    const { status } = await ask(answers(denied({ code: 429, reason: "TooManyRequests", message: "m", details })));
    expect(status).toMatchObject({ reason: "TooManyRequests", code: 429, details });
    const { status: foreign } = await ask(answers(denied({ reason: "Teapot", message: "m" })));
    expect(foreign).toMatchObject({ reason: "", foreignReason: "Teapot" });
  });

  test("is one whatever the policy says of failures", async () => {
    const { refused } = await ask(answers(denied()), { webhook: { failurePolicy: "Ignore" } });
    expect(refused).toMatchObject({ code: 400 });
  });

  test("does not keep its warnings and notes from those whom they are for", async () => {
    const { warnings, annotations } = await ask(
      answers({ ...denied(), warnings: ["beware"], auditAnnotations: { why: "because" } }),
    );
    expect(warnings).toEqual(["beware"]);
    expect(annotations.get(`${NAME}/why`)).toBe("because");
  });
});

const FAILED = `Internal error occurred: failed calling webhook "${NAME}": `;
const body = (review: Review, of: object = {}, response: object = {}): string =>
  JSON.stringify({
    kind: review.kind,
    apiVersion: review.apiVersion,
    response: { uid: review.request.uid, allowed: true, ...response },
    ...of,
  });
const b64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
const PATCH = b64([{ op: "add", path: "/data", value: { x: "1" } }]);

type Failure = readonly [what: string, says: FakeBehaviour, why: string | RegExp, of?: Asked];

const MUTATING: Asked = { kind: "mutating" };
const WEAK: Asked = { webhook: { admissionReviewVersions: ["v1beta1"] } };

const FAILURES: readonly Failure[] = [
  ["no answer", () => new WebhookCallError('Post "https://x/": EOF'), 'failed to call webhook: Post "https://x/": EOF'],
  [
    "an empty answer",
    () => "",
    "received invalid webhook response: couldn't get version/kind; json parse error: Unexpected end of JSON input",
  ],
  ["no JSON", () => "<html>", /^received invalid webhook response: couldn't get version\/kind; json parse error: /],
  [
    "a list",
    () => "[]",
    "received invalid webhook response: couldn't get version/kind; json parse error: it is not an object",
  ],
  [
    "no response",
    (review) => body(review, { response: undefined }),
    "received invalid webhook response: webhook response was absent",
  ],
  [
    "a response that is null",
    (review) => body(review, { response: null }),
    "received invalid webhook response: webhook response was absent",
  ],
  [
    "a response that is no object",
    (review) => body(review, { response: 7 }),
    "received invalid webhook response: response is not an object",
  ],
  [
    "another uid",
    (review) => body(review, {}, { uid: "x" }),
    'received invalid webhook response: expected response.uid="UID", got "x"',
  ],
  [
    "no uid",
    (review) => body(review, {}, { uid: undefined }),
    'received invalid webhook response: expected response.uid="UID", got ""',
  ],
  [
    "another version",
    (review) => body(review, { apiVersion: "admission.orch.io/v1beta1" }),
    "received invalid webhook response: expected webhook response of admission.orch.io/v1, Kind=AdmissionReview, got admission.orch.io/v1beta1, Kind=AdmissionReview",
  ],
  [
    "no kind",
    (review) => body(review, { kind: undefined, apiVersion: undefined }),
    "received invalid webhook response: expected webhook response of admission.orch.io/v1, Kind=AdmissionReview, got /, Kind=",
  ],
  [
    "another kind",
    (review) => body(review, { kind: "Pod", apiVersion: "v1" }),
    "received invalid webhook response: expected webhook response of admission.orch.io/v1, Kind=AdmissionReview, got /v1, Kind=Pod",
  ],
  [
    "a patch from one who judges",
    (review) => body(review, {}, { patch: PATCH, patchType: "JSONPatch" }),
    "received invalid webhook response: validating webhook may not return response.patch",
  ],
  [
    "a type of patch from one who judges",
    (review) => body(review, {}, { patchType: "JSONPatch" }),
    "received invalid webhook response: validating webhook may not return response.patchType",
  ],
  [
    "a patch without a type",
    (review) => body(review, {}, { patch: PATCH }),
    "received invalid webhook response: webhook returned response.patch but not response.patchType",
    MUTATING,
  ],
  [
    "a type without a patch",
    (review) => body(review, {}, { patchType: "JSONPatch" }),
    "received invalid webhook response: webhook returned response.patchType but not response.patch",
    MUTATING,
  ],
  [
    "another type of patch",
    (review) => body(review, {}, { patch: PATCH, patchType: "Merge" }),
    'received invalid webhook response: webhook returned invalid response.patchType of "Merge"',
    MUTATING,
  ],
  [
    "a patch that is no base64",
    (review) => body(review, {}, { patch: "?", patchType: "JSONPatch" }),
    "received invalid webhook response: response.patch is not base64",
    MUTATING,
  ],
  [
    "a patch that is no JSON",
    (review) => body(review, {}, { patch: Buffer.from("x").toString("base64"), patchType: "JSONPatch" }),
    /^received undecodable patch in webhook response: /,
    MUTATING,
  ],
  [
    "a patch that is no list",
    (review) => body(review, {}, { patch: b64({}), patchType: "JSONPatch" }),
    "received undecodable patch in webhook response: error decoding patch: a JSON patch is a list of operations",
    MUTATING,
  ],
  [
    "a word that is no text",
    (review) => body(review, {}, { warnings: [7] }),
    "received invalid webhook response: response.warnings is not a list of strings",
  ],
  [
    "a yes that is none",
    (review) => body(review, {}, { allowed: "yes" }),
    "received invalid webhook response: response.allowed is not a boolean",
  ],
  [
    "a note that is no text",
    (review) => body(review, {}, { auditAnnotations: { a: 1 } }),
    "received invalid webhook response: response.auditAnnotations is not a map of strings",
  ],
  [
    "a status that is none",
    (review) => body(review, {}, { allowed: false, status: "no" }),
    "received invalid webhook response: response.status is not an object",
  ],
  [
    "no version that is known",
    () => ALLOWED,
    "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)",
    { webhook: { admissionReviewVersions: ["v2"] } },
  ],
  [
    "nothing of its side effects in a dry run",
    () => ALLOWED,
    "could not create admission objects: Webhook SideEffects is nil",
    { webhook: { sideEffects: undefined }, request: { dryRun: true } },
  ],
];

describe("a webhook that fails: it says", () => {
  const texts = (why: string | RegExp, review: Review | undefined) =>
    typeof why === "string" ? why.replace("UID", review?.request.uid ?? "") : expect.stringMatching(why);

  test.each(FAILURES)("%s", async (_what, says, why, of = {}) => {
    const strict = await ask(says, of);
    expect(strict.refused?.code).toBe(500);
    expect(strict.refused?.message?.startsWith(FAILED)).toBe(true);
    expect(strict.refused?.message?.slice(FAILED.length)).toEqual(texts(why, strict.asked[0]?.review));
    expect(strict.notes.at(-1)).toBe(`rejected ${NAME} ${typeOf(of)} CREATE calling_webhook_error 0`);
    const lenient = await ask(says, { ...of, webhook: { ...of.webhook, failurePolicy: "Ignore" } });
    expect(lenient.refused).toBeUndefined();
    expect(lenient.notes).toEqual([
      `called ${NAME} ${typeOf(of)} CREATE false 503`,
      `failedOpen ${NAME} ${typeOf(of)} CREATE`,
    ]);
  });

  const typeOf = ({ kind }: Asked) => (kind === "mutating" ? "admit" : "validating");

  test("and older releases say less of what was being done", async () => {
    const { refused } = await ask(() => new WebhookCallError("EOF"), { release: "1.20" });
    expect(refused?.message).toBe(`${FAILED}EOF`);
  });

  test("and in older releases a patch that is none fails whatever the policy", async () => {
    const says: FakeBehaviour = (review) => body(review, {}, { patch: b64({}), patchType: "JSONPatch" });
    const of = { kind: "mutating", release: "1.20", webhook: { failurePolicy: "Ignore" } } as const;
    expect((await ask(says, of)).refused).toEqual({
      code: 500,
      message: "Internal error occurred: error decoding patch: a JSON patch is a list of operations",
    });
  });
});

describe("a webhook of v1beta1", () => {
  test.each<[string, FakeBehaviour, Asked]>([
    ["another uid", (review) => body(review, {}, { uid: "x" }), WEAK],
    ["no kind", (review) => body(review, { kind: undefined, apiVersion: undefined }), WEAK],
    ["another version", (review) => body(review, { apiVersion: "admission.orch.io/v1" }), WEAK],
    ["a patch where it judges", (review) => body(review, {}, { patch: PATCH }), WEAK],
  ])("may answer with %s", async (_what, says, of) => {
    expect((await ask(says, of)).refused).toBeUndefined();
  });

  test("may leave out the type of its patch", async () => {
    const { request } = await ask((review) => body(review, {}, { patch: PATCH }), { ...WEAK, kind: "mutating" });
    expect(request.object?.["data"]).toEqual({ x: "1" });
  });
});

describe("dry runs", () => {
  test.each<[string, boolean]>([
    ["None", true],
    ["NoneOnDryRun", true],
    ["Some", false],
    ["Unknown", false],
  ])("with side effects %s", async (sideEffects, isAsked) => {
    for (const failurePolicy of ["Fail", "Ignore"]) {
      const { refused, asked, notes } = await ask(answers(ALLOWED), {
        webhook: { sideEffects, failurePolicy },
        request: { dryRun: true },
      });
      expect(asked.length).toBe(isAsked ? 1 : 0);
      expect(refused).toEqual(
        isAsked ? undefined : { code: 400, message: `admission webhook "${NAME}" does not support dry run` },
      );
      if (!isAsked) expect(notes.at(-1)).toBe(`rejected ${NAME} validating CREATE apiserver_internal_error 0`);
    }
  });

  test("and no dry run asks for nothing of the kind", async () => {
    expect((await ask(answers(ALLOWED), { webhook: { sideEffects: "Some" } })).asked).toHaveLength(1);
  });
});

describe("the metrics of a call", () => {
  test.each<[string, FakeBehaviour, Asked, readonly string[]]>([
    ["a yes", answers(ALLOWED), {}, [`called ${NAME} validating CREATE false 200`]],
    ["a yes of one who changes", answers(ALLOWED), MUTATING, [`called ${NAME} admit CREATE false 200`]],
    [
      "a no",
      answers(denied()),
      {},
      [`called ${NAME} validating CREATE true 400`, `rejected ${NAME} validating CREATE no_error 400`],
    ],
    [
      "a no with a code",
      answers(denied({ code: 650 })),
      { request: { operation: "DELETE" } },
      [`called ${NAME} validating DELETE true 650`, `rejected ${NAME} validating DELETE no_error 650`],
    ],
    [
      "a failure",
      () => new WebhookCallError("x"),
      {},
      [`called ${NAME} validating CREATE true 503`, `rejected ${NAME} validating CREATE calling_webhook_error 0`],
    ],
    [
      "a patch that does not apply",
      (review) => body(review, {}, { patch: b64([{ op: "remove", path: "/x" }]), patchType: "JSONPatch" }),
      MUTATING,
      [`called ${NAME} admit CREATE true 500`, `rejected ${NAME} admit CREATE apiserver_internal_error 0`],
    ],
    [
      "a condition that leaves it out",
      answers(ALLOWED),
      { webhook: { matchConditions: [{ name: "no", expression: "false" }] } },
      [`evaluated ${NAME} validating CREATE`, `excluded ${NAME} validating CREATE`],
    ],
    [
      "a condition that holds",
      answers(ALLOWED),
      { webhook: { matchConditions: [{ name: "yes", expression: "true" }] } },
      [`evaluated ${NAME} validating CREATE`, `called ${NAME} validating CREATE false 200`],
    ],
    [
      "a condition that fails",
      answers(ALLOWED),
      { webhook: { matchConditions: [{ name: "c", expression: "object.x == 1" }] } },
      [`evaluated ${NAME} validating CREATE`, `conditionsFailed ${NAME} validating CREATE`],
    ],
  ])("%s", async (_what, says, of, notes) => expect((await ask(says, of)).notes).toEqual(notes));
});

test("a condition that fails refuses the request, where the webhook may not be left out", async () => {
  const { refused, asked } = await ask(answers(ALLOWED), {
    webhook: { matchConditions: [{ name: "c", expression: "object.x == 1" }] },
  });
  expect(asked).toEqual([]);
  expect(refused).toEqual({
    code: 403,
    message: "configmaps \"a\" is forbidden: expression 'object.x == 1' resulted in error: no such key: x",
  });
});

describe("namespaces that cannot be told", () => {
  const selects = { namespaceSelector: { matchLabels: { a: "b" } } };
  test("are a 404 for those whom it concerns", async () => {
    const { refused } = await ask(answers(ALLOWED), { webhook: selects, request: { namespace: "nowhere" } });
    expect(refused).toEqual({ code: 404, message: 'namespaces "nowhere" not found' });
  });
  test("are nothing to webhooks that no rule leads to", async () => {
    const { refused } = await ask(answers(ALLOWED), {
      webhook: { ...selects, rules: [] },
      request: { namespace: "nowhere" },
    });
    expect(refused).toBeUndefined();
  });
});

describe("when the request has ended", () => {
  const gone = { aborted: true, addEventListener() {}, removeEventListener() {} };
  const late = { code: 504, message: "Timeout: request did not complete within requested timeout" };
  test("those who judge are not asked", async () => {
    const { refused, asked } = await ask(answers(ALLOWED), { request: { signal: gone } });
    expect([refused, asked]).toEqual([late, []]);
  });
  test("a failure that could be passed over ends the request", async () => {
    const { refused } = await ask(() => new WebhookCallError("context deadline exceeded"), {
      kind: "mutating",
      webhook: { failurePolicy: "Ignore" },
      request: { signal: gone },
    });
    expect(refused).toEqual(late);
  });
});

describe("audit", () => {
  const mutation = "mutation.webhook.admission.orch.io/round_0_index_0";
  const by = (mutated: boolean) => JSON.stringify({ configuration: "c", webhook: NAME, mutated });
  test.each<[string, FakeBehaviour, Asked]>([
    ["was asked", answers(ALLOWED), {}],
    ["refused", answers(denied()), {}],
    ["failed", () => new WebhookCallError("x"), {}],
    ["was not asked in a dry run", answers(ALLOWED), { webhook: { sideEffects: "Some" }, request: { dryRun: true } }],
  ])("notes who may change objects and %s", async (_what, says, of) => {
    const { annotations } = await ask(says, { ...of, kind: "mutating" });
    expect([...annotations]).toEqual([[mutation, by(false)]]);
  });

  test("notes patches, with what was asked for", async () => {
    const { annotations } = await ask((review) => body(review, {}, { patch: PATCH, patchType: "JSONPatch" }), MUTATING);
    const patch = {
      configuration: "c",
      webhook: NAME,
      patch: [{ op: "add", path: "/data", value: { x: "1" } }],
      patchType: "JSONPatch",
    };
    expect([...annotations]).toEqual([
      [mutation, by(true)],
      ["patch.webhook.admission.orch.io/round_0_index_0 (Request)", JSON.stringify(patch)],
    ]);
  });

  test.each<[Kind, string]>([
    ["mutating", "failed-open.mutation.webhook.admission.orch.io/round_0_index_0"],
    ["validating", "failed-open.validating.webhook.admission.orch.io/round_0_index_0"],
  ])("notes failures that were passed over: %s", async (kind, key) => {
    const of: Asked = { kind, webhook: { failurePolicy: "Ignore" } };
    const { annotations } = await ask(() => new WebhookCallError("x"), of);
    expect(annotations.get(key)).toBe(NAME);
    const older = await ask(() => new WebhookCallError("x"), { ...of, release: "1.23" });
    expect(older.annotations.has(key)).toBe(false);
  });
});

describe("those who judge", () => {
  const many = ["a.example.com", "b.example.com", "c.example.com"];
  test("are all asked at once, and the first to refuse is heard", async () => {
    let atOnce = 0;
    let most = 0;
    const fake = fakeWebhooks([validating("c", ...many.map((name) => webhook(name)))], async (_review, name) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      for (let turns = 0; turns < (name === "b.example.com" ? 1 : 5); turns += 1) await new Promise(setImmediate);
      atOnce -= 1;
      return denied({ message: `from ${name}` });
    });
    const { request } = askedOf();
    const refused = await refusalOf(async () => void (await pass(fake.chain(), request)));
    expect(most).toBe(3);
    expect(refused?.message).toBe('admission webhook "b.example.com" denied the request: from b.example.com');
    expect(fake.notes.filter((note) => note.startsWith("rejected"))).toHaveLength(3);
  });

  test("change nothing", async () => {
    const { request } = await ask((review) => body(review, {}, { patch: PATCH }), WEAK);
    expect(request.object?.["data"]).toBeUndefined();
  });
});

describe("the observer receives", () => {
  const step = (type: "admit" | "validate", of: object) => ({
    phase: type,
    round: 0,
    plugin: type === "admit" ? "MutatingAdmissionWebhook" : "ValidatingAdmissionWebhook",
    part: `c/${NAME}`,
    ...of,
  });
  const OPERATIONS = [{ op: "add", path: "/data", value: { x: "1" } }];
  test.each<[string, FakeBehaviour, Asked, object]>([
    ["a yes", answers(ALLOWED), {}, step("validate", { decision: "allowed" })],
    [
      "a change",
      (review) => body(review, {}, { patch: PATCH, patchType: "JSONPatch" }),
      MUTATING,
      step("admit", { decision: "allowed", patch: OPERATIONS }),
    ],
    [
      "a no",
      answers(denied({ message: "no", code: 409 })),
      {},
      step("validate", { decision: "denied", code: 409, message: `${DENIED}: no` }),
    ],
    [
      "a failure",
      () => new WebhookCallError("EOF"),
      {},
      step("validate", { decision: "failed", code: 503, message: "failed to call webhook: EOF" }),
    ],
    [
      "a failure that is passed over",
      () => new WebhookCallError("EOF"),
      { webhook: { failurePolicy: "Ignore" } },
      step("validate", { decision: "ignored", code: 503, message: "failed to call webhook: EOF" }),
    ],
  ])("%s", async (_what, says, of, expected) => expect((await ask(says, of)).steps).toEqual([expected]));
});
