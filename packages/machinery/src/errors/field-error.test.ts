import { expect, test } from "@jest/globals";
import * as field from "./field-error";
import { child, index, key } from "./field-path";

test.each<[field.FieldError, string, string]>([
  [field.required("a"), "FieldValueRequired", "a: Required value"],
  [field.required("a", "why"), "FieldValueRequired", "a: Required value: why"],
  [field.invalid("a.b", "x", "why"), "FieldValueInvalid", 'a.b: Invalid value: "x": why'],
  [field.invalid("a", 3, "why"), "FieldValueInvalid", "a: Invalid value: 3: why"],
  [field.invalid("a", null, "why"), "FieldValueInvalid", "a: Invalid value: null: why"],
  [field.invalid("a", undefined, "why"), "FieldValueInvalid", "a: Invalid value: null: why"],
  [
    field.notSupported("a", "x", ["A", "B"]),
    "FieldValueNotSupported",
    'a: Unsupported value: "x": supported values: "A", "B"',
  ],
  [field.duplicate("a[0]", "x"), "FieldValueDuplicate", 'a[0]: Duplicate value: "x"'],
  [field.forbidden("a", "why"), "FieldValueForbidden", "a: Forbidden: why"],
  [field.tooLong("a", 5), "FieldValueTooLong", "a: Too long: must have at most 5 bytes"],
  [field.tooMany("a", { count: 7, max: 5 }), "FieldValueTooMany", "a: Too many: 7: must have at most 5 items"],
  [field.notFound("a", "x"), "FieldValueNotFound", 'a: Not found: "x"'],
  [field.immutable("a", "x"), "FieldValueInvalid", 'a: Invalid value: "x": field is immutable'],
  [field.internal("a", "why"), "InternalError", "a: Internal error: why"],
])("%j", (error, reason, text) => {
  expect(field.fieldErrorText(error)).toBe(text);
  expect(field.fieldErrorReason(error)).toBe(reason);
});

test("a value of megabytes does not come back whole", () => {
  expect(field.fieldErrorText(field.invalid("a", "x".repeat(3_000_000), "why")).length).toBeLessThan(1100);
});

test("a path names fields, positions and keys", () => {
  expect(key(child(index(child("spec", "template", "list"), 2), "labels"), "a/b")).toBe(
    "spec.template.list[2].labels[a/b]",
  );
  expect(child("", "metadata")).toBe("metadata");
});
