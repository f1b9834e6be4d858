import { expect, test } from "@jest/globals";
import { sharedMemory } from "./shared-memory";

test("what is small lies side by side, and nothing lies in another's place", () => {
  const memory = sharedMemory();
  const given = Array.from({ length: 100 }, (_, index) => memory(1_000).fill(index));
  for (const [index, bytes] of given.entries()) expect(bytes.equals(Buffer.alloc(1_000, index))).toBe(true);
  expect(new Set(given.map(({ buffer }) => buffer)).size).toBe(7);
});

test("what is large lies by itself, so that it is free when nobody has it", () => {
  const memory = sharedMemory();
  expect(memory(5_000).buffer.byteLength).toBe(5_000);
});
