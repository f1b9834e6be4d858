import { describe, expect, test } from "@jest/globals";
import { factsOf } from "./claims";

const token = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2lnbmF0dXJl`;

describe("the facts of a token", () => {
  test("are its issuer and its end", () => {
    expect(factsOf(token({ iss: "https://grün.example/✓", exp: 1_800_000_000 }))).toEqual({
      issuer: "https://grün.example/✓",
      expires: "2027-01-15T08:00:00.000Z",
    });
  });

  test.each([
    ["a token without a form", "admin-token"],
    ["an empty token", ""],
    ["claims that are no object", token([1])],
    ["claims that are no JSON", "a.b.c"],
    ["claims of other types, and an end that is no time", token({ iss: 1, exp: 1e300 })],
  ])("are none of %s", (_what, text) => {
    expect(factsOf(text)).toEqual({});
  });
});
