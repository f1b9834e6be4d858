/** Combines two results, most of which are not promises. */
export function both(one: Promise<void> | undefined, other: void | Promise<void>): Promise<void> | undefined {
  if (one === undefined) return other instanceof Promise ? other : undefined;
  return other instanceof Promise ? Promise.all([one, other]).then(() => {}) : one;
}
