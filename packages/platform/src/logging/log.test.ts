import { expect, test } from "@jest/globals";
import { type ExternalError, errorFields, fieldTexts } from "./log";

class NoRoom extends Error implements ExternalError {
  readonly isOutside = true;
}

test("an error is told of with its stack and its cause", () => {
  const fields = errorFields(new Error("failed", { cause: new Error("why") }));
  expect(fields).toMatchObject({ error: "failed", cause: "why", stack: expect.stringContaining("log.test") });
});

test("fields without a value are left out of lines of text", () => {
  expect(fieldTexts({ port: 1, stack: undefined, worker: null, name: "a b" })).toEqual([
    "port=1",
    "worker=null",
    'name="a b"',
  ]);
});

test.each([
  ["itself", new NoRoom("full")],
  ["by its cause", new Error("full", { cause: new NoRoom("full") })],
])("one whose reason lies outside, %s, has no stack", (_which, error) => {
  expect(errorFields(error)).toMatchObject({ error: "full" });
  expect(errorFields(error)).not.toHaveProperty("stack");
});
