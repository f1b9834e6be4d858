import { expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { toStatus } from "../errors/status-object";
import { type DeleteOptions, parseDeleteOptions } from "./delete-options";

const parse = (body: JsonObject | undefined, query = "") =>
  parseDeleteOptions(body, new URLSearchParams(query), vocabularyOf("orch"));

const NOTHING: DeleteOptions = {
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagation: { kind: "default" },
  preconditions: {},
  ignoresReadError: false,
};

test.each<[string, JsonObject | undefined, string, Partial<DeleteOptions>]>([
  ["nothing", undefined, "", {}],
  ["an empty body, which leaves only the dry run to the query", {}, "dryRun=All&uid=u", { dryRun: true }],
  [
    "a whole body",
    {
      kind: "DeleteOptions",
      apiVersion: "v1",
      dryRun: ["All"],
      gracePeriodSeconds: 0,
      propagationPolicy: "Foreground",
      preconditions: { uid: "u", resourceVersion: "7" },
    },
    "",
    {
      dryRun: true,
      gracePeriodSeconds: 0,
      propagation: { kind: "policy", policy: "Foreground" },
      preconditions: { uid: "u", resourceVersion: "7" },
    },
  ],
  [
    "orphans by the body",
    { orphanDependents: false },
    "",
    { propagation: { kind: "orphanDependents", orphan: false } },
  ],
  [
    "an empty uid, which no object has",
    { preconditions: { uid: "", resourceVersion: null } },
    "",
    { preconditions: { uid: "" } },
  ],
  ["parameters without values", undefined, "uid=&resourceVersion&propagationPolicy=", {}],
  ["nulls", { gracePeriodSeconds: null, preconditions: null, dryRun: null }, "", {}],
  [
    "a whole query",
    undefined,
    "dryRun=All&gracePeriodSeconds=5&propagationPolicy=Orphan&uid=u&resourceVersion=7",
    {
      dryRun: true,
      gracePeriodSeconds: 5,
      propagation: { kind: "policy", policy: "Orphan" },
      preconditions: { uid: "u", resourceVersion: "7" },
    },
  ],
  [
    "orphans by the query",
    undefined,
    "orphanDependents=true",
    { propagation: { kind: "orphanDependents", orphan: true } },
  ],
])("a deletion with %s", (_what, body, query, expected) => {
  expect(parse(body, query)).toEqual({ ...NOTHING, ...expected });
});

test.each<[string, JsonObject | undefined, string, number, readonly string[]]>([
  ["an unknown policy", { propagationPolicy: "Later" }, "", 422, ["FieldValueNotSupported propagationPolicy"]],
  [
    "both ways to say what becomes of dependents",
    undefined,
    "orphanDependents=true&propagationPolicy=Orphan",
    422,
    ["FieldValueInvalid propagationPolicy"],
  ],
  ["an unknown dry run", { dryRun: ["Some"] }, "", 422, ["FieldValueNotSupported dryRun"]],
  ["a grace period that is no number", undefined, "gracePeriodSeconds=soon", 400, []],
  ["a grace period of another type", { gracePeriodSeconds: "5" }, "", 400, []],
  ["a grace period that is no whole number", { gracePeriodSeconds: 1.5 }, "", 400, []],
  ["preconditions of another type", { preconditions: ["u"] }, "", 400, []],
  ["a uid of another type", { preconditions: { uid: 5 } }, "", 400, []],
  ["a resource version of another type", { preconditions: { resourceVersion: 5 } }, "", 400, []],
])("a deletion with %s is refused", (_what, body, query, code, causes) => {
  let failure: unknown;
  try {
    parse(body, query);
  } catch (error) {
    failure = error;
  }
  const status = toStatus(failure);
  expect(status.code).toBe(code);
  expect((status.details?.causes ?? []).map(({ reason, field }) => `${reason} ${field}`)).toEqual(causes);
});
