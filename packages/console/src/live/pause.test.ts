import { describe, expect, test } from "@jest/globals";
import { Pauses } from "./pause";

describe("pauses between connections", () => {
  test("double to half a minute, and begin anew after a reset", () => {
    const pauses = new Pauses();
    const taken = Array.from({ length: 9 }, () => pauses.take(0.5));
    expect(taken).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    pauses.reset();
    expect(pauses.take(0.5)).toBe(500);
  });

  test("are spread, and not shorter than the server asks for", () => {
    expect(new Pauses().take(0)).toBe(375);
    expect(new Pauses().take(0.999)).toBeGreaterThan(620);
    expect(new Pauses().take(0, 5000)).toBe(5000);
  });
});
