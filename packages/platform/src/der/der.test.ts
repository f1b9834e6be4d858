import { describe, expect, test } from "@jest/globals";
import { derText, derValues } from "./der";

const bytes = (hex: string) => Buffer.from(hex.replaceAll(" ", ""), "hex");

test("values follow one another, each with its tag and content", () => {
  const values = derValues(bytes("02 01 05 30 03 01 01 ff"));
  expect(values.map(({ tag, content }) => [tag, content.toString("hex")])).toEqual([
    [0x02, "05"],
    [0x30, "0101ff"],
  ]);
  const long = Buffer.concat([bytes("04 82 01 00"), Buffer.alloc(256)]);
  expect(derValues(long)[0]?.content).toHaveLength(256);
});

describe("a value that is not in its DER form is rejected", () => {
  test.each([
    ["a length without end", "30 80 02 01 05 00 00"],
    ["a short length in a long form", "04 81 05 0000000000"],
    ["a length with a leading zero", `04 82 00 80 ${"00".repeat(128)}`],
    ["a length of more bytes than there can be", "04 85 01 00 00 00 00"],
    ["a tag of more than one byte", "1f 81 00 01 00"],
    ["a value that is cut short", "04 05 00"],
    ["a length that is cut short", "04 82 01"],
    ["a tag alone", "04"],
  ])("%s", (_what, hex) => expect(() => derValues(bytes(hex))).toThrow(RangeError));
});

describe("a string is read as its kind writes it", () => {
  test.each([
    ["UTF-8", "0c 04 c3a9 7a 61", "éza"],
    ["printable", "13 02 61 62", "ab"],
    ["in single bytes", "14 01 e9", "é"],
    ["in two bytes each", "1e 04 0073 00e9", "sé"],
    ["in four bytes each", "1c 08 00000073 0001f600", "s\u{1f600}"],
  ])("%s", (_kind, hex, text) => expect(derText(derValues(bytes(hex))[0])).toBe(text));

  test.each([
    ["a number", "02 01 05"],
    ["broken UTF-8", "0c 01 ff"],
    ["half a character", "1e 03 0073 00"],
    ["no character", "1c 04 00110000"],
  ])("and %s is none", (_what, hex) => expect(() => derText(derValues(bytes(hex))[0])).toThrow(RangeError));
});
