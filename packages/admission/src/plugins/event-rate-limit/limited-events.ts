// One limit: a bucket for each key that was seen lately, each of which starts full.
import { createHash } from "node:crypto";
import type { AdmissionRequest } from "@orch/machinery";
import { RecentMap, TokenBucket } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import type { AdmissionClock } from "../../world";
import type { EventLimit, LimitType } from "./event-limits";

const KEY_OF: Readonly<Record<LimitType, (request: AdmissionRequest) => string>> = {
  Server: () => "",
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject: ({ object }) => sourceAndObject(object ?? {}),
};

/** Longer keys are kept by their digest: an event may say as much as a request may. */
const KEY_MAX = 512;

export class LimitedEvents {
  private readonly buckets: RecentMap<string, TokenBucket>;
  private readonly clock: { readonly elapsed: () => number };

  constructor(
    private readonly limit: EventLimit,
    clock: AdmissionClock,
  ) {
    this.buckets = new RecentMap(limit.type === "Server" ? 1 : limit.cacheSize);
    this.clock = { elapsed: forwards(clock) };
  }

  /** Counts an event. @returns why there is one too many */
  count(request: AdmissionRequest): string | undefined {
    const { type, qps, burst } = this.limit;
    const key = KEY_OF[type](request);
    const kept = key.length <= KEY_MAX ? key : createHash("sha256").update(key).digest("base64");
    let bucket = this.buckets.get(kept);
    if (bucket === undefined) {
      bucket = new TokenBucket({ perSecond: qps, burst }, this.clock);
      this.buckets.set(kept, bucket);
    }
    return bucket.take() ? undefined : `limit reached on type ${type} for key ${key.slice(0, KEY_MAX)}`;
  }
}

function sourceAndObject({ source, involvedObject }: JsonObject): string {
  const [{ component, host }, of] = [source ?? {}, involvedObject ?? {}] as JsonObject[] as [JsonObject, JsonObject];
  const { kind, namespace, name, uid, apiVersion } = of;
  return [component, host, kind, namespace, name, uid, apiVersion].map((text) => text ?? "").join("");
}

/** The machine's date may be set back: no time has passed then. */
function forwards(clock: AdmissionClock): () => number {
  let [lastMs, elapsedMs] = [clock.now(), 0];
  return () => {
    const nowMs = clock.now();
    elapsedMs += Math.max(0, nowMs - lastMs);
    lastMs = nowMs;
    return elapsedMs;
  };
}
