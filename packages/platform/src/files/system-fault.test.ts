import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { systemFault } from "./system-fault";

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

test("an error of the system has a text without its code, any other its message", () => {
  expect(systemFault(thrownBy(() => readFileSync("/nowhere/at/all")))).toBe("no such file or directory");
  expect(systemFault(thrownBy(() => readFileSync("/")))).toBe("is a folder");
  expect(systemFault(new Error("the reason"))).toBe("the reason");
  expect(systemFault("a text")).toBe("a text");
});

test("a file in the way of a folder, and one that should be made, are told apart", () => {
  expect(systemFault(thrownBy(() => mkdirSync(__filename)))).toBe("exists and is not a folder");
  expect(systemFault(thrownBy(() => writeFileSync(__filename, "", { flag: "wx" })))).toBe("exists already");
});

test("an error without a message has the text of its code", () => {
  const errors = [new Error("one"), new Error("two")];
  expect(systemFault(Object.assign(new AggregateError(errors), { code: "ECONNREFUSED" }))).toBe(
    "the connection was refused",
  );
  expect(systemFault(Object.assign(new AggregateError(errors), { code: "ESOME" }))).toBe("ESOME");
});
