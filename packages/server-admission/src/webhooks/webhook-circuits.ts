// The circuits of all webhooks that this process calls. A circuit is kept while calls are in progress or it has
// recorded failures. Circuits of webhooks that are no longer configured are dropped, so that there are no more circuits
// than webhooks.
import type { WebhookTarget } from "@orch/admission";
import { metaOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { WebhookCircuit } from "./webhook-circuit";

export interface KnownCircuit {
  readonly target: WebhookTarget;
  readonly circuit: WebhookCircuit;
}

/** Called when calls of a webhook are suspended or limited, and when it has recovered. */
export interface CircuitObserver {
  broke(known: KnownCircuit): void;
  mended(known: KnownCircuit): void;
  /** Called when its configuration is deleted or changed. */
  forgotten(known: KnownCircuit): void;
}

/** Current configurations of a kind. */
export type CurrentConfigurations = (kind: WebhookTarget["kind"]) => readonly JsonObject[] | undefined;

const CIRCUITS_MAX = 2_000;

export class WebhookCircuits {
  private readonly known = new Map<string, KnownCircuit>();

  constructor(private readonly observer: CircuitObserver) {}

  of(target: WebhookTarget): KnownCircuit {
    const key = keyOf(target);
    let known = this.known.get(key);
    if (known !== undefined && !isSamePlace(known.target, target)) {
      this.forget(key, known);
      known = undefined;
    }
    if (known === undefined) {
      known = { target, circuit: new WebhookCircuit() };
      this.known.set(key, known);
      this.bound();
    }
    return known;
  }

  /** Called after a call has ended. @param wasBroken state before the call */
  settle(known: KnownCircuit, wasBroken: boolean): void {
    const { circuit, target } = known;
    const key = keyOf(target);
    if (this.known.get(key) !== known) return;
    if (circuit.isForgettable) this.known.delete(key);
    if (circuit.isBroken === wasBroken) return;
    if (wasBroken) this.observer.mended(known);
    else this.observer.broke(known);
  }

  /** Circuits that are broken now. */
  broken(): readonly KnownCircuit[] {
    return [...this.known.values()].filter(({ circuit }) => circuit.isBroken);
  }

  get size(): number {
    return this.known.size;
  }

  /** Drops the circuits of webhooks that are no longer configured. @param current undefined: not known at present */
  sweep(current: CurrentConfigurations): void {
    for (const [key, known] of this.known) {
      const { target } = known;
      const configurations = current(target.kind);
      if (configurations === undefined) continue;
      const found = configurations.find((each) => metaOf(each).name === target.configuration);
      if (found === undefined || !names(found, target)) this.forget(key, known);
    }
  }

  private forget(key: string, known: KnownCircuit): void {
    this.known.delete(key);
    if (known.circuit.isBroken) this.observer.forgotten(known);
  }

  private bound(): void {
    if (this.known.size <= CIRCUITS_MAX) return;
    for (const [key, known] of this.known) {
      this.forget(key, known);
      return;
    }
  }
}

/** The key of a target is computed once: computing it twice for each call would cost more than the lookup. */
const keys = new WeakMap<WebhookTarget, string>();

function keyOf(target: WebhookTarget): string {
  let key = keys.get(target);
  if (key === undefined) {
    key = `${target.kind}/${target.configuration}/${target.name}`;
    keys.set(target, key);
  }
  return key;
}

const isSamePlace = (one: WebhookTarget, other: WebhookTarget): boolean =>
  one.clientConfig === other.clientConfig || placeText(one.clientConfig) === placeText(other.clientConfig);

const placeText = (clientConfig: JsonObject): string => JSON.stringify(clientConfig);

function names(configuration: JsonObject, { name, clientConfig }: WebhookTarget): boolean {
  const { webhooks = [] } = configuration as { readonly webhooks?: readonly JsonObject[] };
  const text = placeText(clientConfig);
  return webhooks.some(
    (each) => each["name"] === name && placeText((each["clientConfig"] ?? {}) as JsonObject) === text,
  );
}
