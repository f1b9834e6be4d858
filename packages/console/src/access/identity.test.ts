import { describe, expect, test } from "@jest/globals";
import { impersonationHeaders } from "../session/impersonation-headers";
import { identityOf, NO_IDENTITY } from "./identity";

describe("the identity of the form", () => {
  test("is a user with groups and a uid", () => {
    expect(identityOf({ ...NO_IDENTITY, user: " jane ", groups: "\n devs \n", uid: " 7 " })).toEqual({
      ...{ user: "jane", groups: ["devs"], uid: "7" },
    });
  });

  test("is a service account by its namespace and name", () => {
    expect(
      identityOf({ ...NO_IDENTITY, kind: "serviceAccount", user: "jane", namespace: "shop", name: "web" }),
    ).toEqual({
      ...{ user: "system:serviceaccount:shop:web", groups: [], uid: "" },
    });
  });

  test.each([
    ["groups without a user", { groups: "devs" }, /Enter the name of the user/],
    ["an account without a namespace", { kind: "serviceAccount", name: "web" } as const, /Enter the namespace/],
    ["a control character", { user: "ja\u0001ne" }, /control characters/],
  ])("is refused for %s", (_what, draft, words) => {
    expect(identityOf({ ...NO_IDENTITY, ...draft })).toMatch(words);
  });
});

test("the headers of an identity have the bytes of UTF-8, which a browser can send", () => {
  const headers = impersonationHeaders({ user: "jané ✓", uid: "", groups: ["grün"] });
  expect(Object.keys(headers)).toEqual(["Impersonate-User", "Impersonate-Group"]);
  const sent = Object.values(headers).map((value) => Buffer.from(value, "latin1").toString("utf8"));
  expect(sent).toEqual(["jané ✓", "grün"]);
  // Headers throws for other characters.
  expect(new Headers(headers).get("Impersonate-User")).toBe(Buffer.from("jané ✓").toString("latin1"));
});
