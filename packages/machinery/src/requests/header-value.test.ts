import { expect, test } from "@jest/globals";
import { survivesHeaders } from "./header-value";

test.each<[string, boolean]>([
  ["ann", true],
  ["", true],
  ["a, b\tc", true],
  ["jörg", true],
  [" ann", false],
  ["ann\t", false],
  ["ann\nX-Other: 1", false],
  ["ann\r", false],
  ["ann\u0000", false],
  ["ann\u007f", false],
])("a header says %j as it is: %s", (text, expected) => expect(survivesHeaders(text)).toBe(expected));
