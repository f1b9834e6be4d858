// Decides when a replica writes its availability finding. Replicas may differ, for example when only one of them
// reaches an aggregated API server. Each replica writes its finding once. Afterwards it overwrites a different finding
// of another replica ever more rarely; it does so at all because the other replica may have ended since.
import type { AvailableCondition } from "./registration";

/** The delay before a finding is written again doubles from the first to the last. */
const AGAIN_FIRST_MS = 60_000;
const AGAIN_MAX_MS = 3_600_000;

interface Told {
  readonly finding: AvailableCondition;
  readonly atMs: number;
  readonly again: number;
}

export class FindingSchedule {
  private readonly told = new Map<string, Told>();

  /** @param now monotonic milliseconds */
  constructor(private readonly now: () => number) {}

  /**
   * Reports whether a finding is to be written. Called with each finding.
   * @param stored the condition in the APIService
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

/** Ignores the message, whose wording may differ between two checks. */
const isSame = (one: AvailableCondition, other: AvailableCondition): boolean =>
  one.status === other.status && one.reason === other.reason;
