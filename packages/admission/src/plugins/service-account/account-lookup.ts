// Finds service accounts in the cache or the store. Waits for the default account of a new namespace.
import { notFound, type Randomness } from "@orch/machinery";
import type { EndSignal } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import type { AdmissionDependencies, MaybePromise, ObjectPlace } from "../../contract/dependencies";

export interface AccountLookupDeps extends Pick<AdmissionDependencies, "objects" | "pauses"> {
  readonly randomness: Randomness;
  /** Name of the account that a controller creates shortly after each namespace. */
  readonly keepTrying: string;
}

const ACCOUNTS = { group: "", resource: "serviceaccounts" } as const;
const TRIES = 10;
const PAUSE_MIN_MS = 100;
const PAUSE_SPREAD_MS = 100;

export class AccountLookup {
  constructor(private readonly deps: AccountLookupDeps) {}

  /** Finds an account. Rejects with StatusError NotFound (404) when it does not exist, and with errors of the store. */
  find(at: ObjectPlace, signal: EndSignal): MaybePromise<JsonObject> {
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
