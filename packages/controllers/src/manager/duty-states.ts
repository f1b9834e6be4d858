// What each duty does at the moment, for health checks and metrics.

export type DutyState =
  /** Another process may lead. */
  { readonly kind: "waiting" } | { readonly kind: "working" } | { readonly kind: "failed"; readonly why: string };

const WAITING: DutyState = { kind: "waiting" };

export class DutyStates {
  private readonly states: Map<string, DutyState>;

  /** @param names of the duties that this process does */
  constructor(names: readonly string[]) {
    this.states = new Map(names.map((name) => [name, WAITING]));
  }

  set(name: string, state: DutyState): void {
    this.states.set(name, state);
  }

  get(name: string): DutyState | undefined {
    return this.states.get(name);
  }

  all(): Iterable<readonly [name: string, state: DutyState]> {
    return this.states;
  }
}
