import { expect, test } from "@jest/globals";
import { Occupancy } from "./occupancy";

test("every millisecond is looked at once, with the least and the most in between", () => {
  const seen: Record<string, number[]> = { samples: [], lowest: [], highest: [] };
  const row = (name: string) => ({
    observe: (value: number, times = 1) => void seen[name]?.push(...new Array<number>(times).fill(value)),
  });
  const occupancy = new Occupancy(
    { samples: row("samples"), marks: { lowest: row("lowest"), highest: row("highest") } },
    0,
  );
  occupancy.set(0.5, 0.2);
  occupancy.set(0.1, 0.4);
  occupancy.set(0.3, 3.5);
  occupancy.look(4.1);
  expect(seen).toEqual({ samples: [0.1, 0.1, 0.1, 0.3], lowest: [0, 0.1, 0.1, 0.1], highest: [0.5, 0.1, 0.1, 0.3] });
});
