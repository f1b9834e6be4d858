// One event limit, with the key that it counts by.
import { createHash } from "node:crypto";
import type { AdmissionRequest } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Allowance, Allowances, MaybePromise } from "../../contract/dependencies";
import type { EventLimit, LimitType } from "./event-limits";

const KEY_OF: Readonly<Record<LimitType, (request: AdmissionRequest) => string>> = {
  Server: () => "",
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject: ({ object }) => sourceAndObject(object ?? {}),
};

/** Keys longer than this are replaced by their digest, because clients choose the length of the parts. */
const KEY_MAX = 512;

export class LimitedEvents {
  private readonly allowance: Allowance;

  /** @param position index in the configuration */
  constructor(
    private readonly limit: EventLimit,
    position: number,
    private readonly allowances: Allowances,
  ) {
    const { type, qps, burst, cacheSize } = limit;
    const keysMax = type === "Server" ? 1 : cacheSize;
    this.allowance = { name: `EventRateLimit/${position}`, perSecond: qps, burst, keysMax };
  }

  /** Counts an event. @returns the refusal when the limit is reached */
  count(request: AdmissionRequest): MaybePromise<string | undefined> {
    const { type } = this.limit;
    const key = KEY_OF[type](request);
    const kept = key.length <= KEY_MAX ? key : createHash("sha256").update(key).digest("base64");
    const told = (isTaken: boolean) =>
      isTaken ? undefined : `limit reached on type ${type} for key ${key.slice(0, KEY_MAX)}`;
    const taken = this.allowances.take(this.allowance, kept);
    return typeof taken === "boolean" ? told(taken) : taken.then(told);
  }
}

function sourceAndObject({ source, involvedObject }: JsonObject): string {
  const [{ component, host }, of] = [source ?? {}, involvedObject ?? {}] as JsonObject[] as [JsonObject, JsonObject];
  const { kind, namespace, name, uid, apiVersion } = of;
  return [component, host, kind, namespace, name, uid, apiVersion].map((text) => text ?? "").join("");
}
