import { expect, test } from "@jest/globals";
import { dealHand, flowHash } from "./shuffle-deal";

test.each([
  [1, 1],
  [2, 2],
  [15, 15],
  [64, 8],
  [10_000_000, 2],
])("%d queues: %d different ones are dealt", (deck, handSize) => {
  for (let flow = 0; flow < 200; flow += 1) {
    const hand = dealHand(flowHash("schema", `user-${flow}`, 7), deck, handSize);
    expect(new Set(hand).size).toBe(handSize);
    for (const card of hand) expect(card >= 0 && card < deck).toBe(true);
  }
});

test("every queue is dealt about as often as any other", () => {
  const dealt = new Array<number>(16).fill(0);
  for (let flow = 0; flow < 8000; flow += 1)
    for (const card of dealHand(flowHash("s", `user-${flow}`, 1), 16, 4)) dealt[card] = (dealt[card] ?? 0) + 1;
  for (const count of dealt) expect(Math.abs(count - 2000)).toBeLessThan(300);
});

test("few flows have all their queues in common with a flood", () => {
  const flood = new Set(dealHand(flowHash("s", "flood", 1), 128, 6));
  let covered = 0;
  for (let flow = 0; flow < 1000; flow += 1)
    if (dealHand(flowHash("s", `user-${flow}`, 1), 128, 6).every((card) => flood.has(card))) covered += 1;
  expect(covered).toBe(0);
});

test("a flow is dealt the same hand each time, in another process another one", () => {
  const hand = (seed: number) => dealHand(flowHash("s", "ann", seed), 128, 6).join();
  expect(hand(1)).toBe(hand(1));
  expect(hand(2)).not.toBe(hand(1));
});
