// Where accounts are found: in the cache, else in the store; the one that every namespace is given is waited for.
import { notFound, type Randomness } from "@orch/machinery";
import type { EndSignal } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import type { AdmissionWorld, ObjectPlace, Soon } from "../../world";

export interface AccountLookupDeps extends Pick<AdmissionWorld, "objects" | "pauses"> {
  readonly randomness: Randomness;
  /** Name of the account that is made for every namespace a moment after it. */
  readonly keepTrying: string;
}

const ACCOUNTS = { group: "", resource: "serviceaccounts" } as const;
const TRIES = 10;
const PAUSE_MIN_MS = 100;
const PAUSE_SPREAD_MS = 100;

export class AccountLookup {
  constructor(private readonly deps: AccountLookupDeps) {}

  /** Rejects with StatusError NotFound (404) where there is none, and with what the store says. */
  find(at: ObjectPlace, signal: EndSignal): Soon<JsonObject> {
    const cached = this.deps.objects.cached(ACCOUNTS, at);
    if (cached instanceof Promise) return cached.then((found) => found ?? this.live(at, signal));
    return cached ?? this.live(at, signal);
  }

  private async live(at: ObjectPlace, signal: EndSignal): Promise<JsonObject> {
    const { objects, pauses, randomness, keepTrying } = this.deps;
    const tries = at.name === keepTrying ? TRIES : 1;
    const [chance = 0] = randomness(1);
    const pauseMs = PAUSE_MIN_MS + (chance * PAUSE_SPREAD_MS) / 256;
    for (let tried = 0; tried < tries && !signal.aborted; tried += 1) {
      if (tried > 0) await pauses.wait(pauseMs, signal);
      const found = at.name === "" ? undefined : await objects.inStore(ACCOUNTS, at);
      if (found !== undefined) return found;
    }
    throw notFound({ group: "", resource: "serviceaccount" }, at.name);
  }
}
