import { describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import type { AuditEvent, AuditedRequest } from "../event/audit-event";
import { bodyText, type EventText, eventEncoder, NO_BODIES } from "./event-json";
import { legacyLine } from "./legacy-line";
import { microTime, shortTime } from "./micro-time";

const AT = Date.UTC(2030, 0, 1, 12, 30, 5) + 0.25;

const request = (more: Partial<AuditedRequest> = {}): AuditedRequest => ({
  id: "a-1",
  method: "POST",
  uri: "/apis/apps/v1/namespaces/default/deployments?dryRun=All",
  headers: { "user-agent": 'a "program"' },
  info: {
    ...{ kind: "collection", verb: "create", group: "apps", version: "v1", resource: "deployments" },
    ...{ subresource: "", namespace: "default", name: "" },
  } as unknown as AuditedRequest["info"],
  user: { name: "jane", uid: "u", groups: ["devs"], extra: { "a/b": ["c"] } },
  address: "::ffff:10.0.0.1",
  receivedAt: AT,
  note: undefined,
  ...more,
});

const event = (more: Partial<AuditEvent> = {}): AuditEvent => ({
  level: "Metadata",
  stage: "ResponseComplete",
  stageAt: AT + 1.5,
  request: request(),
  impersonated: undefined,
  code: 201,
  status: undefined,
  answered: true,
  remark: undefined,
  sent: { namespace: "", name: "web", uid: "", resourceVersion: "" },
  annotations: { "x/y": "z\n" },
  requestBody: undefined,
  responseBody: undefined,
  isCut: false,
  omitManagedFields: false,
  ...more,
});

const vocabulary = vocabularyOf("orch");
const encode = (of: AuditEvent, { version = "v1", bodies = NO_BODIES } = {}): Record<string, unknown> => {
  const { pieces } = eventEncoder(vocabulary, `audit.orch.io/${version}`)(of, bodies);
  const text = pieces.map((piece) => Buffer.from(piece).toString()).join("");
  expect(text).not.toContain("\n");
  return JSON.parse(text) as Record<string, unknown>;
};

test("an event says who asked for what, when, and what became of it", () => {
  expect(encode(event())).toEqual({
    kind: "Event",
    apiVersion: "audit.orch.io/v1",
    level: "Metadata",
    auditID: "a-1",
    stage: "ResponseComplete",
    requestURI: "/apis/apps/v1/namespaces/default/deployments?dryRun=All",
    verb: "create",
    user: { username: "jane", uid: "u", groups: ["devs"], extra: { "a/b": ["c"] } },
    sourceIPs: ["10.0.0.1"],
    userAgent: 'a "program"',
    objectRef: { resource: "deployments", namespace: "default", name: "web", apiGroup: "apps", apiVersion: "v1" },
    responseStatus: { metadata: {}, code: 201 },
    requestReceivedTimestamp: "2030-01-01T12:30:05.000250Z",
    stageTimestamp: "2030-01-01T12:30:05.001750Z",
    annotations: { "x/y": "z\n" },
  });
});

test("older versions have the older fields", () => {
  expect(encode(event(), { version: "v1beta1" })).toMatchObject({
    metadata: { creationTimestamp: "2030-01-01T12:30:05Z" },
    timestamp: "2030-01-01T12:30:05Z",
  });
  expect(encode(event(), { version: "v1alpha1" })["objectRef"]).toMatchObject({ apiVersion: "apps/v1" });
});

test("an event before the answer has no status; an unanswered request was closed early; a failure has its reason", () => {
  expect(encode(event({ code: undefined, stage: "RequestReceived" }))).not.toHaveProperty("responseStatus");
  expect(encode(event({ code: 200, answered: false }))["responseStatus"]).toEqual({
    metadata: {},
    status: "Success",
    message: "Connection closed early",
    code: 200,
  });
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason: "NotFound", code: 404 };
  const failed = event({ code: 404, status: { ...status, message: "secret" } as AuditEvent["status"] & object });
  expect(encode(failed)["responseStatus"]).toEqual({ metadata: {}, status: "Failure", reason: "NotFound", code: 404 });
});

test("bodies stand in it as they are, without the owners of fields where these are not wanted", () => {
  const object = () => ({ metadata: { name: "a", managedFields: [{}] } });
  const bodies = { request: bodyText(object(), true), response: bodyText({ items: [object()], big: 2n ** 62n }, true) };
  expect(encode(event(), { bodies })).toMatchObject({
    requestObject: { metadata: { name: "a" } },
    responseObject: { items: [{ metadata: { name: "a" } }] },
  });
  expect(Buffer.from(bodies.response).toString()).toBe(
    '{"items":[{"metadata":{"name":"a"}}],"big":4611686018427387904}',
  );
  expect(encode(event(), { bodies: { truncated: true } as typeof NO_BODIES })["annotations"]).toEqual({
    "x/y": "z\n",
    "audit.orch.io/truncated": "true",
  });
});

test("where it came from, without what is no address; long names are cut; tokens are in no query", () => {
  const headers = {
    "x-forwarded-for": "10.0.0.9, nonsense,10.0.0.1",
    "x-real-ip": "fe80::1",
    "user-agent": "x".repeat(2000),
  };
  const uri = "/api?watch=1&access_token=mine&x=y";
  const told = encode(event({ request: request({ headers, uri }) }));
  expect(told["sourceIPs"]).toEqual(["10.0.0.9", "10.0.0.1", "fe80::1"]);
  expect(told["userAgent"]).toBe(`${"x".repeat(1024)}...TRUNCATED`);
  expect(told["requestURI"]).toBe("/api?watch=1&access_token=REDACTED&x=y");
});

describe("the events of a request before and after its execution", () => {
  const later: readonly [string, Partial<AuditEvent>][] = [
    ["as it was received", { sent: undefined }],
    ["with what the object says of itself", {}],
    ["by somebody else", { sent: undefined, impersonated: { name: "jörg", groups: [] } }],
    ["at another level", { sent: undefined, level: "Request" }],
    ["without an answer", { sent: undefined, answered: false }],
    ["with a remark", { sent: undefined, remark: "größer" }],
    ["with annotations that many requests have", { sent: undefined, annotations: Object.freeze({ "x/y": "z" }) }],
  ];
  const odd: readonly [string, Partial<AuditedRequest>][] = [
    ["of plain words", {}],
    ["with an agent of other letters", { headers: { "user-agent": "größer/1.0" } }],
    ["by a user of other letters", { user: { name: "名前", groups: [] } }],
    ["for an odd URI", { uri: '/api/v1/é"\\?x=\n' }],
    ["with an odd id", { id: "ÿ-1" }],
    ["of an odd name", { info: { ...request().info, name: "é\u2028" } as AuditedRequest["info"] }],
  ];
  const textOf = ({ pieces }: EventText): string => pieces.map((piece) => Buffer.from(piece).toString()).join("");

  test.each(odd.flatMap(([how, more]) => later.map(([then, change]) => [how, then, more, change] as const)))(
    "%s, %s",
    (_how, _then, more, change) => {
      const write = eventEncoder(vocabulary, "audit.orch.io/v1");
      const one = request(more);
      const received = { sent: undefined, code: undefined, annotations: {}, stage: "RequestReceived" } as const;
      const before = write(event({ ...received, request: one }), NO_BODIES);
      const after = write(event({ ...change, request: one }), NO_BODIES);
      expect(textOf(after)).toBe(textOf(write(event({ ...change, request: request(more) }), NO_BODIES)));
      for (const told of [before, after]) {
        const text = textOf(told);
        expect(JSON.parse(text)).toMatchObject({ requestURI: one.uri, auditID: one.id });
        expect([told.isAscii, told.bytes]).toEqual([Buffer.byteLength(text) === text.length, text.length]);
      }
    },
  );
});

test("the line of text that logs had before", () => {
  expect(legacyLine(event())).toBe(
    '2030-01-01T12:30:05.00025Z AUDIT: id="a-1" stage="ResponseComplete" ip="10.0.0.1" method="create" user="jane" ' +
      'groups="devs" as="<self>" asgroups="<lookup>" namespace="default" ' +
      'uri="/apis/apps/v1/namespaces/default/deployments?dryRun=All" response="201"',
  );
});

test("times are told to the microsecond", () => {
  expect([microTime(1.5), microTime(999.9995), shortTime(2000)]).toEqual([
    "1970-01-01T00:00:00.001500Z",
    "1970-01-01T00:00:00.999999Z",
    "1970-01-01T00:00:02Z",
  ]);
});
