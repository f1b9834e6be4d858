// The parser of declared rules: a rule that it does not know fails the build, with the place in proto/.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "@jest/globals";

const PARSER = pathToFileURL(join(__dirname, "../../../../scripts/schema/declared-rule.mjs")).href;

const PROGRAM = `
  const { parseRule } = await import(${JSON.stringify(PARSER)});
  const outcomes = JSON.parse(process.argv[1]).map((text) => {
    try {
      return parseRule(text, "group/v1: field f");
    } catch ({ message }) {
      return message;
    }
  });
  console.log(JSON.stringify(outcomes));
`;

/** Returns the records of each rule, or the message of its error. */
function parsed(rules: readonly string[]): readonly unknown[] {
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", PROGRAM, JSON.stringify(rules)]);
  return JSON.parse(output.toString("utf8")) as unknown[];
}

test("the generator rejects rules that it does not know and names their place", () => {
  const rules = [
    "minimun=0",
    "minimum=few",
    "beta(1.37):sorted",
    "eachVal=sorted",
    "ifEnabled(Gate)=sorted",
    "update=NoChange",
    "unique=list",
    "format=free-text",
    "neq=few",
    "dependentRequired(field)",
    'unionMember(some: "text")',
  ];
  const starts = rules.map(() => expect.stringMatching(/^group\/v1: field f: /));
  expect(parsed(rules)).toEqual(starts);
});

test("the generator compiles known rules with their releases", () => {
  const rules = [
    "beta(1.37):since(1.36):minimum=1",
    "before(1.30):required",
    "optional",
    "alpha(1.37):inCode:immutable",
    'neq="none"',
    "subfield(name)=maxLength=5",
  ];
  expect(parsed(rules)).toEqual([
    [{ is: "minimum", limit: 1, since: "1.36" }],
    [{ is: "required", before: "1.30" }],
    [],
    [{ is: "immutable", inCode: true }],
    [{ is: "neq", value: "none" }],
    [{ is: "subfield", field: "name", of: { is: "maxLength", limit: 5 } }],
  ]);
});

test("the generator compiles rules with their texts", () => {
  const rules = [
    'update("may not change from "" to x")=NoModify',
    'dependentRequired("other", "when it is set")',
    'unionMember(none: "one of both")',
    'immutable("no")',
  ];
  expect(parsed(rules)).toEqual([
    [{ is: "update", forbids: "NoModify", detail: 'may not change from "" to x' }],
    [{ is: "dependentRequired", field: "other", detail: "when it is set" }],
    [{ is: "unionMember", none: "one of both" }],
    [{ is: "immutable", detail: "no" }],
  ]);
});
