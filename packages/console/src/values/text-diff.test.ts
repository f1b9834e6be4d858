import { expect, test } from "@jest/globals";
import { textDiff } from "./text-diff";

const numbered = (count: number, change: (line: number) => string | undefined = () => undefined) =>
  Array.from({ length: count }, (_, index) => `${change(index) ?? `line ${index}`}\n`).join("");

test("equal texts have no difference", () => expect(textDiff("a\n", "a\n")).toEqual([]));

test("a changed line is removed and added, with three lines around it", () => {
  const found = textDiff(
    numbered(20),
    numbered(20, (line) => (line === 10 ? "new" : undefined)),
  );
  expect(found.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    "gap …",
    ...[7, 8, 9].map((line) => `equal line ${line}`),
    "removed line 10",
    "added new",
    ...[11, 12, 13].map((line) => `equal line ${line}`),
    "gap …",
  ]);
});

test("texts without a common line are one removal and one addition", () => {
  expect(textDiff("a\nb\n", "c\n").map(({ kind }) => kind)).toEqual(["removed", "removed", "added"]);
});
