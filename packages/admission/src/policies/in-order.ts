// Sequential iteration that stays synchronous when it can. With hundreds of policies most answer at once, and a promise
// for each would cost as much as the policy.

/** Runs `step` for the items in order. @param step returns or resolves before the next item starts */
export function inOrder<Item>(
  items: readonly Item[],
  step: (item: Item) => void | Promise<void>,
): void | Promise<void> {
  for (let index = 0; index < items.length; index += 1) {
    const late = step(items[index] as Item);
    if (late !== undefined) return rest(late, items, index + 1, step);
  }
  return undefined;
}

async function rest<Item>(
  before: Promise<void>,
  items: readonly Item[],
  start: number,
  step: (item: Item) => void | Promise<void>,
): Promise<void> {
  await before;
  for (let index = start; index < items.length; index += 1) {
    const late = step(items[index] as Item);
    if (late !== undefined) await late;
  }
}
