// Runs the changes of the ownership graph in turns of the event loop. The changes of one object run in the order in
// which they arrive; those of other objects may run in between.
import type { EventLoopYielder } from "@orch/platform";
import type { GraphChange, ToDo } from "./owner-graph";

export class GraphChanges {
  /** The last change of each object that has a change in progress. */
  private readonly last = new Map<string, Promise<void>>();

  constructor(
    private readonly carryOut: (todo: ToDo) => Iterable<undefined>,
    private readonly yielder: EventLoopYielder,
  ) {}

  /**
   * Makes a change of an object and carries out what it makes necessary.
   * @param change called once the earlier changes of the object are complete
   * @returns undefined when the change is complete already, which is usual
   */
  make(uid: string, change: () => GraphChange): void | Promise<void> {
    const earlier = this.last.get(uid);
    const steps = this.stepsOf(change);
    if (earlier === undefined && this.isDoneNow(steps)) return undefined;
    const all: Promise<void> = this.rest(earlier, steps).finally(() => {
      if (this.last.get(uid) === all) this.last.delete(uid);
    });
    this.last.set(uid, all);
    return all;
  }

  private *stepsOf(change: () => GraphChange): Generator<undefined, void> {
    yield* this.carryOut(yield* change());
  }

  private isDoneNow(steps: Generator<undefined, void>): boolean {
    while (steps.next().done !== true) if (this.yielder.isOver) return false;
    return true;
  }

  private async rest(earlier: Promise<void> | undefined, steps: Generator<undefined, void>): Promise<void> {
    await earlier;
    for (;;) {
      if (this.yielder.isOver) await this.yielder.next();
      if (steps.next().done === true) return;
    }
  }
}
