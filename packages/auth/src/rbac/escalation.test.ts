import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import { escalationProblem } from "./escalation";
import type { PolicyRule } from "./policy";

const ann = { name: "ann", groups: ["dev"] };
const problem = (wanted: readonly PolicyRule[], held: readonly PolicyRule[], problems: readonly string[] = []) =>
  escalationProblem(ann, wanted, { rules: held, problems });

const rule = (verbs: string[], apiGroups: string[], resources: string[], resourceNames?: string[]): PolicyRule => ({
  verbs,
  apiGroups,
  resources,
  ...(resourceNames && { resourceNames }),
});
const paths = (verbs: string[], ...nonResourceURLs: string[]): PolicyRule => ({ verbs, nonResourceURLs });

const GET_POD = rule(["get"], [""], ["pods"]);

describe("grantable permissions", () => {
  test.each<[string, PolicyRule, PolicyRule[], boolean]>([
    ["nothing, by nobody", rule([], [""], ["pods"]), [], true],
    ["something, by nobody", GET_POD, [], false],
    ["what is held", GET_POD, [GET_POD], true],
    ["a part of what is held", GET_POD, [rule(["list", "get"], ["apps", ""], ["nodes", "pods"])], true],
    ["what is held in parts", rule(["get", "list"], [""], ["pods"]), [GET_POD, rule(["list"], [""], ["pods"])], true],
    [
      "parts that do not meet",
      rule(["get", "list"], ["", "apps"], ["pods"]),
      [rule(["get"], ["", "apps"], ["pods"]), rule(["list"], [""], ["pods"])],
      false,
    ],
    ["every verb, by who holds one", rule(["*"], [""], ["pods"]), [GET_POD], false],
    ["a verb, by who holds every one", GET_POD, [rule(["*"], [""], ["pods"])], true],
    ["every group, by who holds every one", rule(["get"], ["*"], ["pods"]), [rule(["get"], ["*"], ["pods"])], true],
    [
      "every resource, by who holds all that there are",
      rule(["get"], [""], ["*"]),
      [rule(["get"], [""], ["pods", "nodes"])],
      false,
    ],
    ["a part, by who holds all", rule(["get"], [""], ["pods/log"]), [rule(["get"], [""], ["*"])], true],
    [
      "a part, by who holds that of everything",
      rule(["get"], [""], ["pods/log"]),
      [rule(["get"], [""], ["*/log"])],
      true,
    ],
    ["a part of everything, by who holds it", rule(["get"], [""], ["*/log"]), [rule(["get"], [""], ["*/log"])], true],
    [
      "a part of everything, by who holds one",
      rule(["get"], [""], ["*/log"]),
      [rule(["get"], [""], ["pods/log"])],
      false,
    ],
    ["a resource, by who holds a part of everything", GET_POD, [rule(["get"], [""], ["*/log"])], false],
    ["a resource, by who holds its part", GET_POD, [rule(["get"], [""], ["pods/log"])], false],
    ["one name, by who holds all", rule(["get"], [""], ["pods"], ["a"]), [GET_POD], true],
    [
      "one name, by who holds it",
      rule(["get"], [""], ["pods"], ["a"]),
      [rule(["get"], [""], ["pods"], ["a", "b"])],
      true,
    ],
    ["another name", rule(["get"], [""], ["pods"], ["a", "c"]), [rule(["get"], [""], ["pods"], ["a", "b"])], false],
    [
      "names of two rules",
      rule(["get"], [""], ["pods"], ["a", "c"]),
      [rule(["get"], [""], ["pods"], ["a"]), rule(["get"], [""], ["pods"], ["c"])],
      true,
    ],
    ["all names, by who holds one", GET_POD, [rule(["get"], [""], ["pods"], ["a"])], false],
    ["a name that is an asterisk is a name", GET_POD, [rule(["get"], [""], ["pods"], ["*"])], false],
    ["a path", paths(["get"], "/a"), [paths(["get"], "/a")], true],
    ["a path below", paths(["get"], "/a/b"), [paths(["get"], "/a/*")], true],
    ["a path above", paths(["get"], "/a"), [paths(["get"], "/a/*")], false],
    ["all paths below, by who holds them", paths(["get"], "/a/b/*"), [paths(["get"], "/a/*")], true],
    ["all paths, by who holds some", paths(["get"], "*"), [paths(["get"], "/*")], false],
    ["paths, by who holds all resources", paths(["get"], "/a"), [rule(["*"], ["*"], ["*"])], false],
    ["resources, by who holds all paths", GET_POD, [paths(["*"], "*")], false],
  ])("%s", async (_what, wanted, held, expected) => {
    // With other rules in between, the bits need more than one word.
    const others = Array.from({ length: 40 }, (_, at) => rule(["use"], [`g${at}`], [`r${at}`], [`n${at}`]));
    for (const all of [held, [...others, ...held], [...held, ...others]]) {
      expect((await problem([wanted], all)) === undefined).toBe(expected);
    }
  });
});

test("all that is missing is told, in order, and which roles could not be read", async () => {
  const wanted = [
    rule(["get", "list"], [""], ["pods", "nodes"]),
    paths(["get"], "/b", "/a"),
    rule(["watch"], [""], ["pods"]),
  ];
  expect((await problem(wanted, [GET_POD], ["one", "two"]))?.split("\n")).toEqual([
    'user "ann" (groups=["dev"]) is attempting to grant RBAC permissions not currently held:',
    '{APIGroups:[""], Resources:["nodes"], Verbs:["get" "list"]}',
    '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
    '{NonResourceURLs:["/a"], Verbs:["get"]}',
    '{NonResourceURLs:["/b"], Verbs:["get"]}; resolution errors: [[one, two]]',
  ]);
});

describe("rules that say very much", () => {
  const many = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

  test("are refused where they say more than can be looked at", async () => {
    const wanted = [rule(many("v", 1000), many("g", 1000), many("r", 1000))];
    expect(await problem(wanted, [GET_POD])).toMatch(/^the rules combine to 1000000000 permissions/);
    expect(await problem([paths(["get"], ...many("/", 5000))], [paths(["get"], ...many("/x", 5000))])).toMatch(
      /combine/,
    );
  });

  test.each<[string, PolicyRule[], PolicyRule[]]>([
    ["nothing of which is held", [rule(many("v", 10), many("g", 100), many("r", 500))], [GET_POD]],
    ["all of which is held by one rule", [rule(many("v", 200_000), [""], ["pods"])], [rule(["*"], ["*"], ["*"])]],
    [
      "held by many rules",
      [rule(many("v", 100), many("g", 100), ["pods"])],
      many("g", 100).map((group) => rule(["*"], [group], ["pods"])),
    ],
    [
      "beside what is held and means nothing to them",
      [GET_POD],
      [rule(many("v", 200_000), many("g", 100_000), ["pods"])],
    ],
  ])("are walked in many steps, and others get their turn: %s", async (_what, wanted, held) => {
    let turns = 0;
    let over = false;
    const others = (async () => {
      while (!over) {
        await nextTurn();
        turns += 1;
      }
    })();
    const told = await problem(wanted, held);
    over = true;
    await others;
    expect(turns).toBeGreaterThan(2);
    // The message stays readable.
    expect((told ?? "").split("\n").length).toBeLessThan(1100);
  });

  test("the list of missing permissions is bounded", async () => {
    const told = await problem([rule(["get"], [""], many("r", 3000))], []);
    expect(told?.split("\n").at(-1)).toBe("and 2000 more permissions");
  });
});
