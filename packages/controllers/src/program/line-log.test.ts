import { expect, test } from "@jest/globals";
import { lineLog } from "./line-log";

const JSON_LINE = /^\{"lease":"l","level":"info","message":"became leader","timestamp":"[^"]+"\}\n$/;
const TEXT_LINE = /^\d{4}-[^ ]+Z info became leader lease="l"\n$/;

test.each<[string, boolean, RegExp]>([
  ["auto", false, JSON_LINE],
  ["auto", true, TEXT_LINE],
  ["json", true, JSON_LINE],
  ["text", false, TEXT_LINE],
])("--logging-format=%s, on a terminal: %s", (form, isTerminal, expected) => {
  const lines: string[] = [];
  lineLog({ form, isTerminal, write: (line) => lines.push(line) }).info("became leader", { lease: "l" });
  expect(lines).toEqual([expect.stringMatching(expected)]);
});
