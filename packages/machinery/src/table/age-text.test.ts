import { expect, test } from "@jest/globals";
import { ageText, spanText } from "./age-text";

const M = 60;
const H = 60 * M;
const D = 24 * H;
const Y = 365 * D;

test.each<[number, string]>([
  [-2, "<invalid>"],
  [-1, "0s"],
  [0, "0s"],
  [119, "119s"],
  [2 * M, "2m"],
  [2 * M + 1, "2m1s"],
  [10 * M - 1, "9m59s"],
  [10 * M + 59, "10m"],
  [3 * H - 1, "179m"],
  [3 * H, "3h"],
  [3 * H + M, "3h1m"],
  [8 * H + M, "8h"],
  [2 * D - 1, "47h"],
  [2 * D, "2d"],
  [2 * D + H, "2d1h"],
  [8 * D + H, "8d"],
  [2 * Y - 1, "729d"],
  [2 * Y, "2y"],
  [2 * Y + D, "2y1d"],
  [8 * Y + 3 * D, "8y"],
])("%i seconds are told as %s", (seconds, text) => expect(spanText(seconds * 1000)).toBe(text));

test.each([undefined, null, "", "yesterday"])("the age since %j is not known", (since) => {
  expect(ageText(since, 0)).toBe("<unknown>");
});

test("an age counts from its time", () => {
  expect(ageText("2020-01-01T00:00:00Z", Date.UTC(2020, 0, 1, 0, 5))).toBe("5m");
});
