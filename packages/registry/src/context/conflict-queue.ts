// Turns for the writers of one object. A writer that has met a conflict waits for its turn before it tries again. With
// fifty writers, each tries about twice; without turns most of them would fail repeatedly.

export class ConflictQueue {
  /** The queue of each path: settles when the last queued writer is done. */
  private readonly lines = new Map<string, Promise<void>>();

  /**
   * Resolves when it is the caller's turn. @returns a function that ends the turn; must be called exactly once, on
   * every outcome
   */
  async take(path: string): Promise<() => void> {
    const before = this.lines.get(path);
    let end = (): void => {};
    const mine = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.lines.set(path, mine);
    await before;
    return () => {
      if (this.lines.get(path) === mine) this.lines.delete(path);
      end();
    };
  }
}
