import { expect, test } from "@jest/globals";
import { compareReleases, existsIn } from "./release";

test.each<[string, string, number]>([
  ["1.9", "1.16", -1],
  ["1.16", "1.9", 1],
  ["v1.20", "1.20", 0],
  ["1.20", "1.20.1", -1],
  ["2", "1.99", 1],
])("%s beside %s", (one, other, sign) => {
  expect(Math.sign(compareReleases(one, other))).toBe(sign);
});

test("releases are compared rightly however many others have been spoken of", () => {
  for (let minor = 0; minor < 1000; minor += 1) expect(compareReleases(`3.${minor}`, `3.${minor + 1}`)).toBeLessThan(0);
});

test.each<[string, boolean]>([
  ["1.8", false],
  ["1.9", true],
  ["1.15", true],
  ["1.16", false],
])("a feature from 1.9 to 1.15, in %s: %s", (release, expected) => {
  expect(existsIn({ since: "1.9", until: "1.15" }, release)).toBe(expected);
});
