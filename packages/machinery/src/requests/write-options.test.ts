import { describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import { toStatus } from "../errors/status-object";
import {
  parseApplyOptions,
  parseCreateOptions,
  parsePatchOptions,
  parseUpdateOptions,
  writeTimeoutMs,
} from "./write-options";

const ORCH = vocabularyOf("orch");
const query = (text: string) => new URLSearchParams(text);

function causesOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    const { code, details } = toStatus(error);
    return [code, details?.kind, ...(details?.causes ?? []).map(({ reason, field }) => `${reason} ${field}`)];
  }
}

describe("a write", () => {
  test("a write defaults to no dry run, no field manager and the field validation Warn", () => {
    expect(parseCreateOptions(query(""), ORCH)).toEqual({ dryRun: false, fieldManager: "", fieldValidation: "Warn" });
  });

  test.each([
    ["dryRun=All", true],
    ["dryRun=All&dryRun=All", true],
    ["dryRun", false],
    ["dryRun=", false],
    ["", false],
  ])("with %j is a dry run: %j", (text, dryRun) => expect(parseUpdateOptions(query(text), ORCH).dryRun).toBe(dryRun));

  test.each(["dryRun", "dryRun=", "dryRun=&dryRun=All"])("with %j is a 422 in the kubernetes vocabulary", (text) => {
    const answer = causesOf(() => parseUpdateOptions(query(text), vocabularyOf("kubernetes")));
    expect(answer).toEqual([422, "UpdateOptions", "FieldValueNotSupported dryRun"]);
  });

  test("takes a manager and a way to treat odd fields", () => {
    expect(parseUpdateOptions(query("fieldManager=my+tool&fieldValidation=Strict"), ORCH)).toEqual({
      dryRun: false,
      fieldManager: "my tool",
      fieldValidation: "Strict",
    });
  });

  test.each([
    ["dryRun=Some", "FieldValueNotSupported dryRun"],
    ["dryRun=All&dryRun=Some", "FieldValueNotSupported dryRun"],
    [`fieldManager=${"m".repeat(129)}`, "FieldValueTooLong fieldManager"],
    ["fieldManager=a%0Ab", "FieldValueInvalid fieldManager"],
    ["fieldValidation=strict", "FieldValueNotSupported fieldValidation"],
  ])("with %j is a 422", (text, cause) => {
    expect(causesOf(() => parseCreateOptions(query(text), ORCH))).toEqual([422, "CreateOptions", cause]);
    expect(causesOf(() => parseUpdateOptions(query(text), ORCH))).toEqual([422, "UpdateOptions", cause]);
    expect(causesOf(() => parsePatchOptions(query(text), ORCH))).toEqual([422, "PatchOptions", cause]);
  });
});

describe("a patch", () => {
  test("may not force unless it is an apply", () => {
    expect(causesOf(() => parsePatchOptions(query("force=false"), ORCH))).toEqual([
      422,
      "PatchOptions",
      "FieldValueForbidden force",
    ]);
  });

  test("that applies names its manager, and may force", () => {
    expect(parseApplyOptions(query("fieldManager=m&force=true"), ORCH)).toMatchObject({
      fieldManager: "m",
      force: true,
    });
    expect(parseApplyOptions(query("fieldManager=m"), ORCH).force).toBe(false);
    expect(causesOf(() => parseApplyOptions(query("force=true"), ORCH))).toEqual([
      422,
      "PatchOptions",
      "FieldValueRequired fieldManager",
    ]);
  });
});

test.each([
  ["", 34_000],
  ["timeout=2s", 2_000],
  ["timeout=1m30s", 90_000],
  ["timeout=soon", 34_000],
  ["timeout=-1s", 34_000],
])("a write with %j may take %j ms", (text, expected) => expect(writeTimeoutMs(query(text))).toBe(expected));
