import { expect, test } from "@jest/globals";
import { auditRow } from "./audit-events";

const KEY = "authorization.k8s.io/decision";

test("an event is a row with its user, object, code and decision", () => {
  const event = {
    auditID: "a",
    stage: "ResponseComplete",
    stageTimestamp: "2026-01-02T03:04:05.000000Z",
    verb: "patch",
    user: { username: "root" },
    impersonatedUser: { username: "ann" },
    objectRef: { resource: "deployments", apiGroup: "apps", namespace: "shop", name: "web", subresource: "scale" },
    responseStatus: { code: 200 },
    annotations: { [KEY]: "allow" },
  };
  expect(auditRow(event, KEY)).toEqual({
    key: "a ResponseComplete 2026-01-02T03:04:05.000000Z",
    time: "2026-01-02T03:04:05.000000Z",
    user: "root as ann",
    verb: "patch",
    target: "deployments.apps/scale shop/web",
    code: "200",
    decision: "allow",
    stage: "ResponseComplete",
  });
  expect(auditRow({ requestURI: "/metrics" }, KEY)).toMatchObject({ target: "/metrics", user: "unknown" });
});

test.each([null, 7, [], { user: "x", objectRef: [], responseStatus: null, annotations: { [KEY]: {} }, stage: {} }])(
  "%j is a row without texts",
  (event) =>
    expect(auditRow(event, KEY)).toMatchObject({ user: "unknown", target: "", code: "", decision: "", stage: "" }),
);
