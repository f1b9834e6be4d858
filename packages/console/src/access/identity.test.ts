import { describe, expect, test } from "@jest/globals";
import { impersonationHeaders } from "../session/impersonation-headers";
import { identityOf, NO_IDENTITY } from "./identity";

describe("the identity of the form", () => {
  test("is a user with groups and a uid", () => {
    expect(identityOf({ ...NO_IDENTITY, user: " jane ", groups: "devs\n\n qa \ndevs", uid: " 7 " })).toEqual({
      ...{ user: "jane", groups: ["devs", "qa"], uid: "7" },
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

describe("the headers of an identity", () => {
  const headersOf = (...groups: readonly string[]) =>
    impersonationHeaders({ user: "jané ✓", uid: "", groups }, "example.com/groups");
  const sent = (headers: Record<string, string>) =>
    Object.entries(headers).map(([name, value]) => [name, Buffer.from(value, "latin1").toString("utf8")]);

  test("have the bytes of UTF-8, which a browser can send", () => {
    const headers = headersOf("grün");
    expect(sent(headers)).toEqual([
      ["Impersonate-User", "jané ✓"],
      ["Impersonate-Group", "grün"],
    ]);
    // Headers throws for other characters.
    expect(new Headers(headers).get("Impersonate-User")).toBe(Buffer.from("jané ✓").toString("latin1"));
  });

  test("have several groups in one, in their order", () => {
    expect(sent(headersOf("ops", "a, b"))[1]).toEqual(["Impersonate-Extra-example.com%2Fgroups", '["ops","a, b"]']);
    expect(sent(headersOf())).toHaveLength(1);
  });
});
