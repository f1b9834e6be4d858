// Rules whose errors are exact since 1.36.
import { expect, test } from "@jest/globals";
import { field } from "@orch/machinery";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { oneOf } from "../../formats/format-rules";
import { featuresOf } from "../features/features";
import { eachAtList, exactly, onlyExactly, present, requiredText, textOf } from "./exact-rule";
import { fields, type Rule, required, validator } from "./rule";

interface Box {
  readonly name?: string;
  readonly words?: readonly string[];
}

const word = oneOf("x");

function found(rule: Rule<Box>, box: Box, release: string): string[] {
  const context = {
    vocabulary: vocabularyOf("orch"),
    version: { group: "", version: "v1" },
    features: featuresOf(release),
  };
  return validator(rule)(box as JsonObject, context).map(field.fieldErrorText);
}

const WRONG = 'Unsupported value: "": supported values: "x"';
const REQUIRED = "Required value";

test.each<[string, Rule<string>, Box, readonly string[], readonly string[]]>([
  ["present takes an empty text as a value", present(word), { name: "" }, [WRONG], [REQUIRED]],
  ["present requires a text", present(word), {}, [REQUIRED], [REQUIRED]],
  ["requiredText adds the errors of an empty text", requiredText(word), {}, [REQUIRED, WRONG], [REQUIRED]],
  ["textOf takes an absent text as an empty one", textOf(word), {}, [WRONG], [REQUIRED]],
  ["exactly chooses a rule for an absent text", exactly(required(), word), {}, [REQUIRED], []],
  ["exactly chooses a rule for an empty text", exactly(required(), word), { name: "" }, [REQUIRED], [WRONG]],
  ["onlyExactly leaves a rule out elsewhere", onlyExactly(word), { name: "y" }, [WRONG.replace('""', '"y"')], []],
])("%s", (_, rule, box, exact, otherwise) => {
  const errors = (texts: readonly string[]) => texts.map((text) => `name: ${text}`);
  expect(found(fields<Box>({ name: rule }), box, "1.36")).toEqual(errors(exact));
  expect(found(fields<Box>({ name: rule }), box, "1.35")).toEqual(errors(otherwise));
});

test("eachAtList reports an item at its list", () => {
  const rule = fields<Box>({ words: eachAtList(word) });
  expect(found(rule, { words: ["x", ""] }, "1.36")).toEqual([`words: ${WRONG}`]);
  expect(found(rule, { words: ["x", ""] }, "1.35")).toEqual([`words[1]: ${WRONG}`]);
});
