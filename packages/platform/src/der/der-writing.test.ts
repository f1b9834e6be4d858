import { describe, expect, test } from "@jest/globals";
import { DER_TAG, derText, derValues, objectIdentifier } from "./der";
import {
  derBitString,
  derObjectIdentifier,
  derPositiveInteger,
  derSet,
  derString,
  derTime,
  derValue,
} from "./der-writing";

const hex = (bytes: Buffer) => bytes.toString("hex");
const bytes = (text: string) => Buffer.from(text, "hex");

test.each([0, 1, 127, 128, 255, 256, 65_535, 65_536])("a value of %i bytes is read back", (length) => {
  const [value, ...more] = derValues(derValue(DER_TAG.octetString, Buffer.alloc(length, 7)));
  expect([value?.tag, value?.content.length, more]).toEqual([DER_TAG.octetString, length, []]);
});

test.each([
  "2.5.4.3",
  "1.2.840.113549.1.1.11",
  "0.9.2342.19200300.100.1.25",
  "1.3.6.1.4.1.311.10.3.3",
  "2.16.840.1.113730.4.1",
])("%s is read again", (dotted) =>
  expect(objectIdentifier(derValues(derObjectIdentifier(dotted))[0]?.content as Buffer)).toBe(dotted),
);

test.each([
  ["00", "020100"],
  ["0000", "020100"],
  ["7f", "02017f"],
  ["80", "02020080"],
  ["00ff01", "020300ff01"],
  ["0102", "02020102"],
])("the positive number %s is %s", (digits, expected) => expect(hex(derPositiveInteger(bytes(digits)))).toBe(expected));

test("bits are told how many do not count", () => expect(hex(derBitString(bytes("a0"), 5))).toBe("030205a0"));

test("the elements of a set are in the order of their bytes", () => {
  expect(hex(derSet(bytes("0c0162"), bytes("0c0161"), bytes("020105")))).toBe("31090201050c01610c0162");
});

test.each([
  [Date.UTC(2049, 11, 31, 23, 59, 59, 999), DER_TAG.utcTime, "491231235959Z"],
  [Date.UTC(2050, 0, 1), DER_TAG.generalizedTime, "20500101000000Z"],
])("%i", (ms, tag, digits) => {
  const [value] = derValues(derTime(ms));
  expect([value?.tag, value?.content.toString()]).toEqual([tag, digits]);
});

describe("text is of the plainest kind that has its characters", () => {
  test.each([
    ["system:nodes", 0x13],
    ["", 0x13],
    ["a@b", 0x0c],
    ["M\u00fcller", 0x0c],
  ])("%j", (text, tag) => {
    const [value] = derValues(derString(text));
    expect([value?.tag, derText(value)]).toEqual([tag, text]);
  });
});
