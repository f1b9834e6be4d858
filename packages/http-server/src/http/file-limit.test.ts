import { expect, test } from "@jest/globals";
import { connectionsMax, openFilesMax } from "./file-limit";

test.each<[string, number, number | undefined, number]>([
  ["a tenth of the files is kept for other things", 0, 5000, 4500],
  ["where there are few, a hundred", 0, 500, 400],
  ["many files are no reason for more connections than memory has room for", 0, 1_048_576, 10_000],
  ["unless the operator says so", 50_000, 1_048_576, 50_000],
  ["what the operator wants is bounded by the files", 50_000, 1500, 1350],
  ["fewer may be wanted", 20, 1500, 20],
  ["nothing is known of files", 0, undefined, 10_000],
])("%s", (_behaviour, wanted, files, expected) => expect(connectionsMax(wanted, files)).toBe(expected));

test("the system tells how many files there may be, or sets no limit", () =>
  expect([undefined, expect.any(Number)]).toContainEqual(openFilesMax()));
