import { describe, expect, test } from "@jest/globals";
import { asFailure, failureOf, remedyOf } from "./failure";

describe("a failure", () => {
  test("has the reason, the message and the causes of a Status", () => {
    const causes = [{ field: "spec.replicas", message: "must be positive" }];
    const body = { kind: "Status", code: 422, reason: "Invalid", message: "it is invalid", details: { causes } };
    expect(failureOf(422, body)).toMatchObject({ code: 422, reason: "Invalid", message: "it is invalid", causes });
  });

  test("is described by the HTTP status when the answer is no Status", () => {
    expect(failureOf(403, "<html>")).toMatchObject({ code: 403, reason: "Forbidden", causes: [] });
    expect(failureOf(418, undefined)).toMatchObject({ reason: "HTTP 418", message: "The server answered 418." });
  });

  test("says when to try again", () => {
    expect(remedyOf(failureOf(429, undefined, "7"))).toContain("7 s");
    expect(remedyOf(failureOf(429, { kind: "Status", details: { retryAfterSeconds: 3 } }))).toContain("3 s");
  });

  test.each([401, 403, 404, 409, 410, 422, 429, 500, 503])("with the code %d has a remedy", (code) => {
    expect(remedyOf(failureOf(code, undefined))).not.toBe("");
  });

  test("is made of anything that is thrown", () => expect(asFailure("no").message).toBe("no"));
});
