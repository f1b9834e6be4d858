import { describe, expect, test } from "@jest/globals";
import { VersionValue } from "./version-value";

const parsed = (text: string): VersionValue => {
  const version = VersionValue.parse(text);
  if (version === undefined) throw new Error(`${text} is not a version`);
  return version;
};

test("versions have the precedence of semver.org", () => {
  const ascending = "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0";
  const versions = [...ascending.split(" "), "1.0.1", "1.2.0", "1.10.0", "2.0.0"].map(parsed);
  for (const [low, a] of versions.entries())
    for (const [high, b] of versions.entries()) expect(a.compare(b)).toBe(Math.sign(low - high));
});

test("build metadata does not affect precedence", () => {
  expect(parsed("1.2.3+a").equals(parsed("1.2.3+b"))).toBe(true);
});

describe("a text that is no version is refused", () => {
  test.each(["", "1", "1.2", "1.2.3.4", "v1.2.3", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3-a..b", "1.2.3+", "1.2.3+a+b"])(
    "%j",
    (text) => expect(VersionValue.parse(text)).toBeUndefined(),
  );
});
