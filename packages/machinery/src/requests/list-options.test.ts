import { describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import { toStatus } from "../errors/status-object";
import { parseGetOptions, parseListOptions } from "./list-options";
import type { ReadSemantics } from "./read-semantics";

const ORCH = vocabularyOf("orch");
const list = (query: string) => parseListOptions(new URLSearchParams(query), ORCH);

const MOST_RECENT: ReadSemantics = { kind: "mostRecent" };
const ANY: ReadSemantics = { kind: "any" };
const NOT_OLDER: ReadSemantics = { kind: "notOlderThan", resourceVersion: 7 };
const EXACT: ReadSemantics = { kind: "exact", resourceVersion: 7 };
const TOKEN = "continue token";

function failureOf(act: () => unknown) {
  try {
    return act();
  } catch (error) {
    return toStatus(error);
  }
}

test.each<[string, ReadSemantics]>([
  ["", MOST_RECENT],
  ["resourceVersion=", MOST_RECENT],
  ["resourceVersion=0", ANY],
  ["resourceVersion=7", NOT_OLDER],
])("a get with %j reads %j", (query, read) => expect(parseGetOptions(new URLSearchParams(query))).toEqual(read));

describe("a list, cell by cell of the interface's table", () => {
  const UNSET = "";
  const ZERO = "resourceVersion=0";
  const OTHER = "resourceVersion=7";
  const LIMIT = "&limit=5";
  const PAGE = "&limit=5&continue=t";
  const EXACTLY = "&resourceVersionMatch=Exact";
  const NOT_OLDER_THAN = "&resourceVersionMatch=NotOlderThan";

  test.each<[match: string, paging: string, version: string, ReadSemantics | typeof TOKEN | 400 | 422]>([
    ["", "", UNSET, MOST_RECENT],
    ["", "", ZERO, ANY],
    ["", "", OTHER, NOT_OLDER],
    ["", LIMIT, UNSET, MOST_RECENT],
    ["", LIMIT, ZERO, ANY],
    ["", LIMIT, OTHER, EXACT],
    ["", PAGE, UNSET, TOKEN],
    ["", PAGE, ZERO, TOKEN],
    ["", PAGE, OTHER, 400],
    [EXACTLY, "", UNSET, 422],
    [EXACTLY, "", ZERO, 422],
    [EXACTLY, "", OTHER, EXACT],
    [EXACTLY, LIMIT, UNSET, 422],
    [EXACTLY, LIMIT, ZERO, 422],
    [EXACTLY, LIMIT, OTHER, EXACT],
    [EXACTLY, PAGE, UNSET, 422],
    [EXACTLY, PAGE, ZERO, 422],
    [EXACTLY, PAGE, OTHER, 422],
    [NOT_OLDER_THAN, "", UNSET, 422],
    [NOT_OLDER_THAN, "", ZERO, ANY],
    [NOT_OLDER_THAN, "", OTHER, NOT_OLDER],
    [NOT_OLDER_THAN, LIMIT, UNSET, 422],
    [NOT_OLDER_THAN, LIMIT, ZERO, ANY],
    [NOT_OLDER_THAN, LIMIT, OTHER, NOT_OLDER],
    [NOT_OLDER_THAN, PAGE, UNSET, 422],
    [NOT_OLDER_THAN, PAGE, ZERO, 422],
    [NOT_OLDER_THAN, PAGE, OTHER, 422],
    ["&resourceVersionMatch=Newest", "", OTHER, 422],
    ["&resourceVersionMatch=", "", OTHER, NOT_OLDER],
  ])("match %j, paging %j, version %j", (match, paging, version, expected) => {
    const query = `${version}${match}${paging}`;
    if (typeof expected === "number") expect(failureOf(() => list(query))).toMatchObject({ code: expected });
    else if (expected === TOKEN) expect(list(query)).toMatchObject({ continueToken: "t", limit: 5 });
    else expect(list(query)).toMatchObject({ read: expected, continueToken: "", limit: paging === "" ? 0 : 5 });
  });
});

test("a forbidden combination is a 422 of ListOptions that names the parameter", () => {
  expect(failureOf(() => list("resourceVersionMatch=Exact"))).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message:
      'ListOptions.meta.orch.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    reason: "Invalid",
    details: {
      group: "meta.orch.io",
      kind: "ListOptions",
      causes: [
        {
          reason: "FieldValueForbidden",
          message: "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
          field: "resourceVersionMatch",
        },
      ],
    },
    code: 422,
  });
});

test.each([
  ["resourceVersion=abc", 400],
  ["resourceVersion=-1", 400],
  ["resourceVersion=1.5", 400],
  ["resourceVersion=9007199254740993", 400],
  ["resourceVersion=99999999999999999999999", 400],
  ["limit=many", 400],
  ["limit=1e3", 400],
  ["limit=", 400],
  ["timeoutSeconds=", 400],
  ["timeoutSeconds=soon", 400],
  ["labelSelector=a%20b", 400],
  ["fieldSelector=a", 400],
  ["sendInitialEvents=true", 422],
])("a list with %j is a %j", (query, code) => expect(failureOf(() => list(query))).toMatchObject({ code }));

test("a negative limit is none, as an absent one is", () => {
  expect([list("limit=-5").limit, list("").limit]).toEqual([0, 0]);
});

test("a list carries its selectors", () => {
  const { labels, fields } = list("labelSelector=a%3Dx&fieldSelector=metadata.name%3Dn");
  expect(labels?.matches({ a: "x" })).toBe(true);
  expect(fields).toEqual([{ field: "metadata.name", operator: "=", value: "n" }]);
  expect(list("").labels).toBeUndefined();
});
