// Reproducible random choices from a seed (mulberry32), so that a failure can be run again.

export interface Random {
  /** An integer from 0 to `below` - 1. */
  below(below: number): number;
  pick<Value>(values: readonly Value[]): Value;
  /** True with this probability, 0 to 1. */
  chance(probability: number): boolean;
  bytes(length: number): Buffer;
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    pick: (values) => values[below(values.length)] as (typeof values)[number],
    chance: (probability) => next() < probability,
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  };
}
