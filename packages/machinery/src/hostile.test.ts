// Worst-case inputs of each function: the cost of each must grow at most about linearly with the size of the input.
import { describe, expect, test } from "@jest/globals";
import { derValues } from "@orch/platform";
import { type JsonObject, type JsonValue, vocabularyOf } from "@orch/schema";
import { type Growing, growthOf, LINEAR_MAX } from "@orch/testing";
import * as machinery from "./index";

const vocabulary = vocabularyOf("orch");
const times = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const members = (count: number, value: (index: number) => JsonValue, prefix = "k"): JsonObject =>
  Object.fromEntries(times(count, (index) => [`${prefix}${(index * 7919) % count}`, value(index)]));
/** Returns the error of a refused input as a result. */
function refused(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof machinery.StatusError || error instanceof SyntaxError) return error;
    throw error;
  }
}

const text = (read: (text: string) => unknown, make: (size: number) => string): Growing => {
  return (size) => {
    const given = make(size);
    return () => refused(() => read(given));
  };
};
/** Sets of labels to match. */
const LABEL_SETS = times(500, (index) => ({ app: `a${index}`, tier: "front", track: "stable" }));
const matched = (make: (size: number) => string, labels: readonly machinery.Labels[] = LABEL_SETS): Growing => {
  return (size) => {
    const selector = machinery.parseLabelSelector(make(size));
    return () => labels.filter((each) => selector?.matches(each));
  };
};
const query = (count: number, requirement: (index: number) => string): string => times(count, requirement).join(",");
const owners = (count: number): JsonObject => ({
  metadata: { ownerReferences: times(count, (index) => ({ uid: `u${index % (count / 2)}`, name: "n", kind: "K" })) },
});
const errors = (count: number) => times(count, (index) => machinery.field.invalid(`spec.x[${index}]`, "v", "why"));
const of = { group: "", kind: "Pod" };

const CASES: Readonly<Record<string, readonly [size: number, Growing]>> = {
  "requirements of a selector": [2000, text(machinery.parseLabelSelector, (size) => query(size, (at) => `k${at}=v`))],
  "values of a selector": [
    2000,
    text(machinery.parseLabelSelector, (size) => `k in (${query(size, (at) => `v${at}`)})`),
  ],
  "a selector that goes wrong": [20_000, text(machinery.parseLabelSelector, (size) => "(".repeat(size))],
  "a key without end": [20_000, text(machinery.parseLabelSelector, (size) => `a/${"a-".repeat(size)}`)],
  "white space in a selector": [20_000, text(machinery.parseLabelSelector, (size) => `a${" ".repeat(size)}b`)],
  "terms of a field selector": [2000, text(machinery.parseFieldSelector, (size) => query(size, (at) => `a.b${at}!=c`))],
  "backslashes in a field selector": [20_000, text(machinery.parseFieldSelector, (size) => `a=${"\\\\".repeat(size)}`)],
  "labels held against absent keys": [1000, matched((size) => query(size, (at) => `!k${at}`))],
  "labels held against one key": [1000, matched((size) => query(size, (at) => `app!=v${at}`))],
  "labels held against values": [1000, matched((size) => `app notin (${query(size, (at) => `v${at}`)})`)],
  "many labels held against a key": [
    500,
    (size) => {
      const parsed = JSON.stringify(members(size, () => "v"));
      const labels = times(20, () => JSON.parse(parsed) as machinery.Labels);
      return matched(() => query(20, (at) => `k${at}`), labels)(size);
    },
  ],

  "a name": [50_000, text(machinery.subdomainErrors, (size) => `${"a-".repeat(size)}.`)],
  "a name of dots": [50_000, text(machinery.fullyQualifiedDomainNameErrors, (size) => "a.".repeat(size))],
  "a qualified name": [
    50_000,
    text(machinery.qualifiedNameErrors, (size) => `${"a".repeat(size)}/${"a-".repeat(size)}`),
  ],
  "digits of a duration": [50_000, text(machinery.parseGoDuration, (size) => "1".repeat(size))],
  "parts of a duration": [50_000, text(machinery.parseGoDuration, (size) => `${"1.1h".repeat(size)}x`)],
  "a continue token": [
    50_000,
    text(
      (token) => machinery.decodeContinueToken(token, vocabulary),
      (size) => Buffer.from(`{"start":"${"a/".repeat(size)}"}`).toString("base64url"),
    ),
  ],
  "what is no continue token": [
    50_000,
    text(
      (token) => machinery.decodeContinueToken(token, vocabulary),
      (size) => `${"a".repeat(size)}=`,
    ),
  ],
  "a warning": [
    20_000,
    text(
      (each) => machinery.warningHeaders([each]),
      (size) => '\\\n"'.repeat(size),
    ),
  ],
  "a value in a message": [
    100_000,
    (size) => {
      const error = machinery.field.invalid("spec", { a: times(size, () => ["x"]) }, "why");
      return () => times(100, () => machinery.field.fieldErrorText(error));
    },
  ],
  "errors of an object": [
    1000,
    (size) => {
      const all = errors(size);
      return () => machinery.invalid(of, "n", all);
    },
  ],
  "labels that are none": [
    1000,
    (size) => {
      const labels = members(size, () => "-", "-") as Record<string, string>;
      return () => machinery.labelErrors(labels, "metadata.labels");
    },
  ],
  "owners that are there twice": [
    1000,
    (size) => {
      const object = owners(size);
      return () => machinery.dropDuplicateOwnerReferences(structuredClone(object));
    },
  ],
  "finalizers of a deletion": [
    2000,
    (size) => {
      const object: JsonObject = { metadata: { finalizers: times(size, (at) => `a.b/${at}`) } };
      const asked = {
        gracePeriodSeconds: undefined,
        propagation: { kind: "default" },
        orphansByDefault: false,
        nowMs: 0,
      } as const;
      return () => machinery.deletionStep(object, {}, asked);
    },
  ],
  "expressions of a selector": [
    1000,
    (size) => {
      const selector = { matchExpressions: times(size, (at) => ({ key: `k${at}`, operator: "In", values: ["v"] })) };
      return () => machinery.labelSelectorErrors(selector, "spec.selector");
    },
  ],
  "values in a certificate": [5000, (size) => () => refusedRange(() => derValues(Buffer.alloc(size * 2, 0)))],
  "letters held against a regular expression": [
    1000,
    (size) => {
      const expression = machinery.RegularExpression.compile("^((a+)+|(a|a)*b)$") as machinery.RegularExpression;
      return () => expression.test(`${"a".repeat(size)}!`);
    },
  ],
  "groups of a regular expression": [200, (size) => () => machinery.RegularExpression.compile("(a|".repeat(size))],
  "letters of a regular expression": [500, (size) => () => machinery.RegularExpression.compile("a?".repeat(size))],
};

function refusedRange(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError) return error;
    throw error;
  }
}

describe("the cost grows no faster than the input", () => {
  test.each(Object.entries(CASES))("%s", async (_name, [size, make]) => {
    expect(await growthOf(make, size)).toBeLessThan(LINEAR_MAX);
  });
});

describe("error messages about large input are bounded", () => {
  const LONG = "x".repeat(1_000_000);
  const bytesOf = (error: unknown): number => JSON.stringify(machinery.toStatus(error)).length;

  test("errors, values and details", () => {
    const many = times(5000, (at) => machinery.field.invalid(`spec.x[${at}]`, LONG, LONG));
    expect(bytesOf(machinery.invalid(of, "n", many))).toBeLessThan(16_000_000);
    expect(machinery.invalid(of, "n", many).details?.causes).toHaveLength(1000);
  });
});
