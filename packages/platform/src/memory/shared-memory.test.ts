import { expect, test } from "@jest/globals";
import { sharedMemory } from "./shared-memory";

test("small values share a buffer without overlap", () => {
  const memory = sharedMemory();
  const given = Array.from({ length: 100 }, (_, index) => memory(1_000).fill(index));
  for (const [index, bytes] of given.entries()) expect(bytes.equals(Buffer.alloc(1_000, index))).toBe(true);
  expect(new Set(given.map(({ buffer }) => buffer)).size).toBe(7);
});

test("a large value has its own buffer, which is released with it", () => {
  const memory = sharedMemory();
  expect(memory(5_000).buffer.byteLength).toBe(5_000);
});
