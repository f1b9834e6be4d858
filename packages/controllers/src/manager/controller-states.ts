// State of each controller, for health checks and metrics.

export type ControllerState =
  /** Waiting: another process may lead. */
  { readonly kind: "waiting" } | { readonly kind: "working" } | { readonly kind: "failed"; readonly why: string };

const WAITING: ControllerState = { kind: "waiting" };

export class ControllerStates {
  private readonly states: Map<string, ControllerState>;

  /** @param names names of the controllers that this process runs */
  constructor(names: readonly string[]) {
    this.states = new Map(names.map((name) => [name, WAITING]));
  }

  set(name: string, state: ControllerState): void {
    this.states.set(name, state);
  }

  get(name: string): ControllerState | undefined {
    return this.states.get(name);
  }

  all(): Iterable<readonly [name: string, state: ControllerState]> {
    return this.states;
  }
}
