// State of each controller, for health checks and metrics.

export type DutyState =
  /** Waiting: another process may lead. */
  { readonly kind: "waiting" } | { readonly kind: "working" } | { readonly kind: "failed"; readonly why: string };

const WAITING: DutyState = { kind: "waiting" };

export class DutyStates {
  private readonly states: Map<string, DutyState>;

  /** @param names names of the controllers that this process runs */
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
