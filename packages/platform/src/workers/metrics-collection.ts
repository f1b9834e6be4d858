// Collects the metrics of all workers. The counters of ended workers are kept, so that counters never decrease.
import type { GroupMetrics, Snapshot } from "./messages";

interface Asked<Member> {
  readonly waitsFor: Set<Member>;
  answer(): void;
}

/** Timeout for a worker that is busy or hangs. Its last snapshot is used then. */
const ANSWER_MS = 2000;
/** Maximum number of snapshots of ended workers. They are merged only during a scrape. */
const GONE_MAX = 32;
/** Maximum size of the merged snapshot of ended workers. A larger one is dropped, which resets the counters. */
const FOLDED_MAX = 16 * 1024 * 1024;

export class MetricsCollection<Member> {
  private readonly asked = new Map<number, Asked<Member>>();
  private readonly last = new Map<Member, Snapshot>();
  private readonly dead: Snapshot[] = [];
  private folds = 0;
  private ids = 0;

  /** @param ask requests a snapshot from a member, with this id */
  constructor(private readonly ask: (member: Member, id: number) => void) {}

  gather(asker: Member, own: Snapshot, members: Iterable<Member>): Promise<GroupMetrics> {
    this.keep(asker, own);
    const others = [...members].filter((member) => member !== asker);
    this.ids += 1;
    const id = this.ids;
    return new Promise((resolve) => {
      const answer = () => {
        clearTimeout(timer);
        this.asked.delete(id);
        const known = others.flatMap((member) => {
          const last = this.last.get(member);
          return last === undefined ? [] : [last];
        });
        resolve({ others: known, gone: [...this.dead], folds: this.folds });
      };
      const timer = setTimeout(answer, ANSWER_MS);
      this.asked.set(id, { waitsFor: new Set(others), answer });
      if (others.length === 0) answer();
      else for (const member of others) this.ask(member, id);
    });
  }

  told(member: Member, id: number, own: Snapshot): void {
    this.keep(member, own);
    const asked = this.asked.get(id);
    if (asked !== undefined) waitNoMore(asked, member);
  }

  /** Stores the last snapshot of a member. */
  keep(member: Member, own: Snapshot): void {
    this.last.set(member, own);
  }

  mergeSnapshots({
    folds,
    count,
    into,
  }: {
    readonly folds: number;
    readonly count: number;
    readonly into: Snapshot;
  }): void {
    if (folds !== this.folds) return;
    this.folds += 1;
    const characters = into.reduce((sum, { length }) => sum + length, 0);
    this.dead.splice(0, count, ...(characters > FOLDED_MAX ? [] : [into]));
  }

  gone(member: Member): void {
    const last = this.last.get(member);
    this.last.delete(member);
    if (last !== undefined && this.dead.length < GONE_MAX) this.dead.push(last);
    for (const asked of [...this.asked.values()]) waitNoMore(asked, member);
  }
}

function waitNoMore<Member>({ waitsFor, answer }: Asked<Member>, member: Member): void {
  if (waitsFor.delete(member) && waitsFor.size === 0) answer();
}
