import { expect, test } from "@jest/globals";
import { PackedText } from "./packed-text";

const textOf = (lines: number) =>
  Array.from({ length: lines }, (_, at) => `{"field${at}":{"type":"string","description":"größer als ${at}"}}`).join();

test.each([
  ["empty", ""],
  ["short", textOf(10)],
  ["long", textOf(20_000)],
])("a text that is %s is read as it was, while it is compressed and afterwards", async (_, text) => {
  const packed = new PackedText(Buffer.from(text));
  const isHeld = () => Reflect.get(packed, "bytes") !== undefined;
  expect(isHeld()).toBe(text.length > 1_000_000);
  expect(packed.text() === text).toBe(true);
  while (isHeld()) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(packed.text() === text).toBe(true);
});
