import { describe, expect, test } from "@jest/globals";
import { identityHeaders, isIdentityHeader, plainHeaderName } from "./identity-headers";

describe("the user of a request", () => {
  test("is told with all groups and everything else, in the bytes of UTF-8", () => {
    const extra = { "acme.com/Project": ["p", "q"], "50%": ["é"] };
    expect(identityHeaders({ name: "jörg", uid: "7", groups: ["a, b", "c"], extra })).toEqual([
      ...["X-Remote-User", "j\u00c3\u00b6rg", "X-Remote-Uid", "7"],
      ...["X-Remote-Group", "a, b", "X-Remote-Group", "c"],
      ...["X-Remote-Extra-acme.com%2FProject", "p", "X-Remote-Extra-acme.com%2FProject", "q"],
      ...["X-Remote-Extra-50%25", "\u00c3\u00a9"],
    ]);
  });

  test.each([
    [{ name: "ann\r\nX-Remote-Group: system:masters", groups: [] }],
    [{ name: "ann", groups: [" system:masters"] }],
    [{ name: "ann", groups: ["system:masters\t"] }],
    [{ name: "ann\u0000", groups: [] }],
    [{ name: "ann", groups: [], extra: { a: ["b\n"] } }],
  ])("is not told where a header would say something else: %j", (user) =>
    expect(() => identityHeaders(user)).toThrow("cannot be represented"),
  );
});

test.each<[string, boolean]>([
  ["X-Remote-User", true],
  ["x-remote-group", true],
  ["X-REMOTE-UID", true],
  ["X_Remote_Extra_Scopes", true],
  ["X-Remote-Extra-", true],
  ["X-Acme-User", true],
  ["x_acme_user", true],
  ["Acme-Extra-Key", true],
  ["X-Remote-Address", false],
  ["Remote-User", false],
  ["Content-Type", false],
])("the header %s says who asks: %s", (name, expected) => {
  const trusted = { names: new Set([plainHeaderName("X-Acme-User")]), prefixes: [plainHeaderName("Acme-Extra-")] };
  expect(isIdentityHeader(name, trusted)).toBe(expected);
});
