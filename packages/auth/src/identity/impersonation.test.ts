import { describe, expect, test } from "@jest/globals";
import type { UserInfo } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import { impersonatedUser, impersonationChecks } from "./impersonated-user";
import { isImpersonationHeader, readImpersonation } from "./impersonation";

const RULES = { knowsUids: true, isConstrained: false, groupsKey: "example.com/groups" };
const read = (...rawHeaders: string[]) => readImpersonation(rawHeaders, RULES);
const GROUPS = "Impersonate-Extra-example.com%2Fgroups";
const JANE = ["Impersonate-User", "jane"];

describe("headers", () => {
  test.each<[string, boolean]>([
    ["Impersonate-User", true],
    ["IMPERSONATE-", true],
    ["impersonate_user", true],
    ["Impersonate", false],
    ["Impersonates-User", false],
    ["X-Impersonate-User", false],
    ["", false],
  ])("%j is one of them: %s", (name, expected) => expect(isImpersonationHeader(name)).toBe(expected));

  test("other headers request no impersonation", () =>
    expect(read("Host", "a", "X-Impersonate-User", "jane", "Impersonate", "x")).toBeUndefined());

  test("say it all together", () => {
    const headers = ["Impersonate-Extra-A%2fB", "1", "Impersonate-Uid", "7", ...JANE, "Impersonate-Group", "g"];
    expect(read(...headers, "impersonate-extra-a%2Fb", "2", "Impersonate-Group", "g")).toEqual({
      name: "jane",
      uid: "7",
      groups: ["g"],
      extra: new Map([["a/b", ["1", "2"]]]),
    });
  });

  test("name groups in one header, as a browser has to", () => {
    const groups = Buffer.from('["ops", "a, b", "grün", "g"]').toString("latin1");
    expect(read(...JANE, "Impersonate-Group", "g", GROUPS, groups)).toEqual({
      name: "jane",
      uid: "",
      groups: ["g", "ops", "a, b", "grün"],
      extra: new Map(),
    });
  });

  test.each(["", "ops", '"ops"', "{}", "[1]", '["ops"', '[" ops"]', '["o\\u0000ps"]', "[[]]", "null"])(
    "with %j for groups in one header are refused",
    (value) => expect(() => read(...JANE, GROUPS, value)).toThrow(expect.objectContaining({ code: 400 })),
  );

  test.each([
    [true, 400, "requested [groups] without impersonating a user name"],
    [false, 500, "requested [groups] without impersonating a user"],
  ])("without a user are refused (constrained: %s)", (isConstrained, code, message) => {
    const headers = ["Impersonate-Extra-example.com%2fgroups", '["ops"]'];
    expect(() => readImpersonation(headers, { ...RULES, isConstrained })).toThrow(
      expect.objectContaining({ code, message }),
    );
  });

  // Over HTTP/1.1 Node.js trims blanks around a value; the reader rejects blanks and control characters that reach it
  // over HTTP/2.
  test.each<[string, string[], number]>([
    ["a name with a space before it", ["Impersonate-User", " jane"], 400],
    ["a name with a line's end", ["Impersonate-User", "jane\nx"], 400],
    ["a group with a tab after it", [...JANE, "Impersonate-Group", "g\t"], 400],
    ["a value with a zero", [...JANE, "Impersonate-Extra-a", "\u0000"], 400],
    ["a UID with a line's end", [...JANE, "Impersonate-Uid", "7\r"], 400],
    ["a UID of nobody", ["Impersonate-Uid", "7"], 500],
    ["another header", [...JANE, "Impersonate-All", "x"], 403],
  ])("with %s are refused", (_what, headers, code) =>
    expect(() => read(...headers)).toThrow(expect.objectContaining({ code })),
  );

  test("with a UID are refused where none is known", () =>
    expect(() => readImpersonation([...JANE, "Impersonate-Uid", "7"], { ...RULES, knowsUids: false })).toThrow(
      "impersonate-uid",
    ));

  test("are not told in full where they are long", () => {
    const long = `Impersonate-${"x".repeat(10_000)}`;
    expect(() => read(long, "")).toThrow(/^impersonate-x{88}: unknown impersonation header/);
  });
});

const ASKING: UserInfo = { name: "broker", groups: ["brokers"] };
const as = (name: string, more: { uid?: string; groups?: string[]; extra?: [string, string[]][] } = {}) => ({
  name,
  uid: more.uid ?? "",
  groups: more.groups ?? [],
  extra: new Map(more.extra ?? []),
});

describe("the required permissions", () => {
  const checks = (of: ReturnType<typeof as>) =>
    [...impersonationChecks(ASKING, of, vocabularyOf("kubernetes"))].map((each) => {
      expect([each.user, each.verb]).toEqual([ASKING, "impersonate"]);
      return [each.apiGroup, each.resource, each.subresource, each.namespace, each.name].join(" ");
    });

  test("is each part, the user first", () =>
    expect(checks(as("jane", { uid: "7", groups: ["g", "h"], extra: [["a/b", ["1", "2", "1"]]] }))).toEqual([
      " users   jane",
      " groups   g",
      " groups   h",
      "authentication.k8s.io userextras a/b  1",
      "authentication.k8s.io userextras a/b  2",
      "authentication.k8s.io uids   7",
    ]));

  test.each<[string, string]>([
    ["system:serviceaccount:prod:bot", " serviceaccounts  prod bot"],
    ["system:serviceaccount:prod:bot.x", " serviceaccounts  prod bot.x"],
    ["system:serviceaccount:prod:Bot", " users   system:serviceaccount:prod:Bot"],
    ["system:serviceaccount:pr.od:bot", " users   system:serviceaccount:pr.od:bot"],
    [`system:serviceaccount:${"a".repeat(64)}:bot`, ` users   system:serviceaccount:${"a".repeat(64)}:bot`],
    ["system:serviceaccounts:prod:bot", " users   system:serviceaccounts:prod:bot"],
  ])("the permissions for %s are %j", (name, check) => expect(checks(as(name))).toEqual([check]));
});

test.each<[string, string[], string[]]>([
  ["jane", [], ["system:authenticated"]],
  ["jane", ["g"], ["g", "system:authenticated"]],
  ["jane", ["system:unauthenticated", "g"], ["system:unauthenticated", "g"]],
  ["system:anonymous", ["g"], ["g", "system:unauthenticated"]],
  ["system:serviceaccount:a:b", [], ["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"]],
  ["system:serviceaccount:a:b", [""], ["", "system:authenticated"]],
])("%s asked for in %j is in %j", (name, groups, expected) =>
  expect(impersonatedUser(as(name, { groups }))).toStrictEqual({ name, groups: expected }),
);
