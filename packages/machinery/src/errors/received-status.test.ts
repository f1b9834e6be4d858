import { describe, expect, test } from "@jest/globals";
import type { JsonValue } from "@orch/schema";
import { invalid as invalidField } from "./field-error";
import { invalid, notFound } from "./object-errors";
import { receivedStatusError } from "./received-status";
import { toStatus } from "./status-object";

const overTheWire = (error: unknown): JsonValue => JSON.parse(JSON.stringify(toStatus(error)));

describe("a received Status", () => {
  test.each([
    notFound({ group: "apps", resource: "deployments" }, "web"),
    invalid({ group: "", kind: "Pod" }, "web", [invalidField("spec.x", "y", "no such thing")]),
  ])("becomes the error that the server threw: $reason", (thrown) => {
    const received = receivedStatusError(overTheWire(thrown), { code: thrown.code, text: "" });
    expect(toStatus(received)).toEqual(toStatus(thrown));
  });

  test("keeps its own code where its reason is unknown here", () => {
    const body = { kind: "Status", status: "Failure", code: 451, reason: "NotHere", message: "not here" };
    expect(receivedStatusError(body, { code: 500, text: "" })).toMatchObject({
      code: 451,
      reason: "BadRequest",
      message: "not here",
    });
  });

  test("hands on the token with which an expired list can go on", () => {
    const body = { kind: "Status", status: "Failure", code: 410, reason: "Expired", metadata: { continue: "next" } };
    expect(receivedStatusError(body, { code: 410, text: "" }).continueToken).toBe("next");
  });

  test.each([
    [409, "Conflict"],
    [410, "Gone"],
    [503, "ServiceUnavailable"],
    [502, "InternalError"],
  ])("an answer %i without a Status has the reason %s", (code, reason) => {
    const received = receivedStatusError(undefined, { code, text: "bad gateway" });
    expect(received).toMatchObject({ code, reason, message: `the server answered ${code}: bad gateway` });
  });
});
