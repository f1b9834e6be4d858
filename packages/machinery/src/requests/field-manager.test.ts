import { expect, test } from "@jest/globals";
import { managerName } from "./field-manager";

test.each<[string, string, string]>([
  ["named", "tool/v1", "named"],
  ["", "tool/v1.2 (linux/amd64) orch/abc", "tool"],
  ["", "two words\u0007\n/1", "two words"],
  ["", "", "unknown"],
  ["", "/1", "unknown"],
  ["", `${"a".repeat(127)}é/1`, "a".repeat(127)],
])("fieldManager %j and user agent %j make the manager %j", (fieldManager, userAgent, name) => {
  expect(managerName({ fieldManager, userAgent })).toBe(name);
});
