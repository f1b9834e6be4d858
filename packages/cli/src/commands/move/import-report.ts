// Report of an import: a line per resource as it is done, then the sums, and what could not be said in the target.
import type { Session } from "../../session/session";
import { Progress } from "../../terminal/progress";
import { type ArchivedKind, kindName } from "./archive-form";
import type { Outcome } from "./import-journal";

type Count = Outcome | "before" | "failed" | "unchecked";

const WORDS: Readonly<Record<Count, readonly [now: string, dryRun: string]>> = {
  created: ["created", "would be created"],
  updated: ["updated", "would be updated"],
  same: ["exist already", "exist already"],
  kept: ["exist and differ (not changed)", "exist and differ (would not be changed)"],
  before: ["imported before", "imported before"],
  failed: ["failed", "would fail"],
  unchecked: ["", "not checked, because their namespace or definition does not exist yet"],
};
/** Maximum number of failures and of names that are listed. */
const LISTED_MAX = 50;

export class ImportReport {
  private readonly sums = new Map<Count, number>();
  private readonly ofKind = new Map<string, Map<Count, number>>();
  private readonly reasons = new Map<string, number>();
  private readonly unservedKinds = new Map<string, number>();
  private readonly lostOwners = new Map<string, number>();
  private readonly kept: string[] = [];

  private readonly progress: Progress;

  constructor(
    private readonly session: Session,
    private readonly options: { readonly dryRun: boolean; readonly total: number },
  ) {
    this.progress = new Progress(session.io, {
      label: options.dryRun ? "checking" : "importing",
      total: options.total,
    });
  }

  /** Counts an object as looked at. */
  step(): void {
    this.progress.advance();
  }

  /** Removes the bar. */
  end(): void {
    this.progress.end();
  }

  /** Whether everything was imported. */
  get isComplete(): boolean {
    return !this.sums.has("failed") && this.unservedKinds.size === 0;
  }

  done(kind: ArchivedKind, key: string, outcome: Outcome): void {
    this.add(kind, outcome);
    if (outcome === "kept") this.kept.push(key);
  }

  before(kind: ArchivedKind): void {
    this.step();
    this.add(kind, "before");
  }

  unchecked(kind: ArchivedKind): void {
    this.add(kind, "unchecked");
  }

  unserved(kind: ArchivedKind): void {
    this.unservedKinds.set(kindName(kind), (this.unservedKinds.get(kindName(kind)) ?? 0) + 1);
  }

  failed(kind: ArchivedKind, key: string, { message }: Error): void {
    this.add(kind, "failed");
    const failures = this.sums.get("failed") ?? 0;
    if (failures <= LISTED_MAX) this.progress.tell(`error: ${placeText(key)}: ${message}`);
    else if (failures === LISTED_MAX + 1) this.progress.tell("error: further failures are counted only");
  }

  leftOut(why: string): void {
    this.step();
    this.reasons.set(why, (this.reasons.get(why) ?? 0) + 1);
  }

  droppedOwner(owner: string): void {
    this.lostOwners.set(owner, (this.lostOwners.get(owner) ?? 0) + 1);
  }

  kindDone(kind: ArchivedKind): void {
    const counts = this.ofKind.get(kindName(kind));
    if (counts !== undefined) this.progress.write(`${kindName(kind)}: ${this.textOf(counts)}\n`);
  }

  /** Writes the sums. @param names names of the other vocabulary that were kept, with the number of their objects */
  finish(names: ReadonlyMap<string, number>): void {
    const { session } = this;
    this.end();
    session.write(`all resources: ${this.sums.size === 0 ? "nothing to import" : this.textOf(this.sums)}\n`);
    for (const [why, count] of this.reasons) session.write(`left out: ${count} (${why})\n`);
    for (const key of this.kept.slice(0, LISTED_MAX)) session.write(`not changed: ${placeText(key)}\n`);
    for (const [owner, count] of listed(this.lostOwners)) {
      session.warn(`the owner ${owner} of ${objects(count)} does not exist in the target: the reference was left out`);
    }
    for (const [name, count] of listed(names)) {
      session.warn(`the name ${name} has no counterpart in the target's vocabulary and was kept in ${objects(count)}`);
    }
    for (const [kind, count] of this.unservedKinds) {
      session.tell(`error: ${kind}: the server has no such resource, and ${objects(count)} were not imported`);
    }
    if (!this.isComplete) session.exitCode = 1;
    if (this.sums.has("failed") && !this.options.dryRun) {
      session.tell("error: repeat the command to try the failed objects again");
    }
  }

  private add(kind: ArchivedKind, count: Count): void {
    const ofKind = this.ofKind.get(kindName(kind)) ?? new Map<Count, number>();
    this.ofKind.set(kindName(kind), ofKind);
    for (const counts of [this.sums, ofKind]) counts.set(count, (counts.get(count) ?? 0) + 1);
  }

  private textOf(counts: ReadonlyMap<Count, number>): string {
    return [...counts].map(([count, number]) => `${number} ${WORDS[count][this.options.dryRun ? 1 : 0]}`).join(", ");
  }
}

/** Returns the key of an object without the empty namespace. */
const placeText = (key: string): string => key.replace("//", "/");

const objects = (count: number): string => (count === 1 ? "1 object" : `${count} objects`);

function* listed(counts: ReadonlyMap<string, number>): Generator<[string, number], void, undefined> {
  let number = 0;
  for (const entry of counts) {
    number += 1;
    if (number > LISTED_MAX) return;
    yield entry;
  }
}
