import { randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import { generateName, generateUid } from "./name-generator";

test("a generated name is its base and five characters that spell no words", () => {
  for (let round = 0; round < 100; round++) {
    expect(generateName("web-", randomBytes)).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  }
});

test("a long base is cut so that the name fits in 63 characters", () => {
  const name = generateName("a".repeat(80), randomBytes);
  expect(name).toMatch(/^a{58}[^a]{5}$/);
});

test("bytes that would favour some characters are drawn again", () => {
  const draws = [Buffer.from([255, 0, 243, 1, 242]), Buffer.from([26, 27])];
  expect(generateName("", () => draws.shift() ?? Buffer.alloc(0))).toBe("bc99b");
});

test("a uid is a random UUID", () => {
  expect(generateUid(() => Buffer.alloc(16, 0xff))).toBe("ffffffff-ffff-4fff-bfff-ffffffffffff");
  expect(generateUid(() => Buffer.alloc(16))).toBe("00000000-0000-4000-8000-000000000000");
  expect(new Set(Array.from({ length: 100 }, () => generateUid(randomBytes))).size).toBe(100);
});
