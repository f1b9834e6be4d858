import { readFileSync } from "node:fs";
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
