/** Runs a task for each value, at most `width` at a time. Tasks handle their own errors. */
export async function eachInTurn<T>(
  values: readonly T[],
  width: number,
  run: (value: T) => Promise<void>,
): Promise<void> {
  const waiting = values.values();
  const worker = async (): Promise<void> => {
    for (const value of waiting) await run(value);
  };
  await Promise.all(Array.from({ length: Math.min(width, values.length) }, worker));
}
