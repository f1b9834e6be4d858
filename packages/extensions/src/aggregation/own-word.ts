// When a replica says in a registration what it has found. Replicas may find different things, as where one of them alone reaches an extension
// server: each says so once. What another has said meanwhile stands, and is contradicted ever more seldom: it may have ended since.
import type { AvailableCondition } from "./registration";

/** The pause before a finding is told again doubles from the first to the last. */
const AGAIN_FIRST_MS = 60_000;
const AGAIN_MAX_MS = 3_600_000;

interface Told {
  readonly finding: AvailableCondition;
  readonly atMs: number;
  readonly again: number;
}

export class OwnWord {
  private readonly told = new Map<string, Told>();

  /** @param now milliseconds that never run backwards */
  constructor(private readonly now: () => number) {}

  /**
   * Asked with each finding.
   * @param stored what the registration says. @returns whether the finding is to be written there
   */
  isDue(name: string, finding: AvailableCondition, stored: AvailableCondition | undefined): boolean {
    const before = this.told.get(name);
    const atMs = this.now();
    if (before === undefined || !isSame(before.finding, finding)) {
      this.told.set(name, { finding, atMs, again: 0 });
      return stored === undefined || !isSame(stored, finding) || stored.message !== finding.message;
    }
    if (stored !== undefined && isSame(stored, finding)) return false;
    if (stored !== undefined && atMs - before.atMs < Math.min(AGAIN_FIRST_MS * 2 ** before.again, AGAIN_MAX_MS))
      return false;
    this.told.set(name, { finding, atMs, again: before.again + 1 });
    return true;
  }

  forget(name: string): void {
    this.told.delete(name);
  }
}

/** How it is put may differ from one look to the next. */
const isSame = (one: AvailableCondition, other: AvailableCondition): boolean =>
  one.status === other.status && one.reason === other.reason;
