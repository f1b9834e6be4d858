import { describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import { StatusError } from "../errors/status-error";
import { decodeContinueToken, encodeContinueToken, renewContinueToken } from "./continue-token";

const ORCH = vocabularyOf("orch");
const tokenOf = (content: unknown) => Buffer.from(JSON.stringify(content)).toString("base64url");
const V = "meta.orch.io/v1";

describe("a continue token", () => {
  test("goes on right after the last key, at the version of the first chunk", () => {
    const token = encodeContinueToken({ resourceVersion: 1234, lastKey: "default/ü" }, ORCH);
    expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(decodeContinueToken(token, ORCH)).toEqual({ resourceVersion: 1234, startKey: "default/ü\0" });
  });

  test("has the content that other servers of this interface read", () => {
    const token = encodeContinueToken({ resourceVersion: 7, lastKey: "a" }, ORCH);
    expect(Buffer.from(token, "base64url").toString()).toBe('{"v":"meta.orch.io/v1","rv":7,"start":"a\\u0000"}');
  });

  test("that expired is renewed at the latest version, from the same key", () => {
    const point = decodeContinueToken(encodeContinueToken({ resourceVersion: 7, lastKey: "a/b" }, ORCH), ORCH);
    expect(decodeContinueToken(renewContinueToken(point, ORCH), ORCH)).toEqual({
      resourceVersion: "latest",
      startKey: "a/b\0",
    });
  });

  test.each<[string, string]>([
    ["no token", "?"],
    ["padding", `${tokenOf({ v: V, rv: 1, start: "abc" })}==`],
    ["bytes that are no JSON", Buffer.from("{").toString("base64url")],
    ["no object", tokenOf("text")],
    ["null", tokenOf(null)],
    ["another encoding's version", tokenOf({ v: "meta.orch.io/v2", rv: 1, start: "a" })],
    ["another vocabulary", tokenOf({ v: "meta.k8s.io/v1", rv: 1, start: "a" })],
    ["version 0", tokenOf({ v: V, rv: 0, start: "a" })],
    ["a version below -1", tokenOf({ v: V, rv: -2, start: "a" })],
    ["part of a version", tokenOf({ v: V, rv: 1.5, start: "a" })],
    ["a version as text", tokenOf({ v: V, rv: "1", start: "a" })],
    ["no key", tokenOf({ v: V, rv: 1 })],
    ["an empty key", tokenOf({ v: V, rv: 1, start: "" })],
    ["a key that climbs", tokenOf({ v: V, rv: 1, start: "../secrets/a" })],
    ["a key that climbs later", tokenOf({ v: V, rv: 1, start: "a/../../b" })],
    ["a key from the root", tokenOf({ v: V, rv: 1, start: "/a" })],
    ["a key with an empty part", tokenOf({ v: V, rv: 1, start: "a//b" })],
  ])("with %s is refused", (_what, token) => {
    let failure: unknown;
    try {
      decodeContinueToken(token, ORCH);
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(StatusError);
    expect(failure).toMatchObject({
      code: 400,
      message: expect.stringMatching(/^invalid continue token: continue key is not valid: /),
    });
  });
});
