// Shuffle sharding: each flow gets a few queues of a level, chosen by its hash. Two flows rarely share more than a few
// queues, so that a flow that fills its queues leaves others free.

/** @returns a 32-bit hash */
export function flowHash(schema: string, distinguisher: string, seed: number): number {
  let hash = mixed(seed ^ 0x9e3779b9);
  hash = textHash(schema, hash);
  return textHash(distinguisher, mixed(hash ^ 0x85ebca6b));
}

/**
 * Deals distinct cards; all hands are equally likely.
 * @param deck number of cards
 * @param handSize at most the size of the deck
 * @returns numbers below `deck`
 */
export function dealHand(hash: number, deck: number, handSize: number): readonly number[] {
  const hand: number[] = [];
  for (let dealt = 0; dealt < handSize; dealt += 1) {
    // The n-th remaining card, as in shuffling: counted in ascending order without the dealt ones.
    const draw = mixed(hash + Math.imul(dealt + 1, 0x9e3779b1)) >>> 0;
    let card = Math.floor((draw / 2 ** 32) * (deck - dealt));
    let at = 0;
    while (at < hand.length && (hand[at] as number) <= card) {
      card += 1;
      at += 1;
    }
    hand.splice(at, 0, card);
  }
  return hand;
}

function textHash(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mixed(hash ^ text.length);
}

/** Every bit of the argument affects every bit of the result. */
function mixed(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return bits ^ (bits >>> 16);
}
