// Turns for the writers of one object. A writer that met another's write waits for its turn before it tries again, so that of fifty
// writers each tries about twice, where all trying at once would refuse most of them again and again.

export class WriteTurns {
  /** By path: settles when the last writer in line is through. */
  private readonly lines = new Map<string, Promise<void>>();

  /** Resolves when it is the caller's turn. @returns what ends the turn; to be called once, whatever happens */
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
