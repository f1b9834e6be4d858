// EventRateLimit plugin: limits the rate at which events are written to the store. Source:
// plugin/pkg/admission/eventratelimit/admission.go.
import { type AdmissionRequest, tooManyRequests } from "@orch/machinery";
import { RecentMap } from "@orch/platform";
import { definePlugin } from "../../contract/plugin";
import { readEventLimits } from "./event-limits";
import { LimitedEvents } from "./limited-events";

/** Number of requests remembered, so that a retried write is counted once. */
const COUNTED_MAX = 1024;

export const eventRateLimit = definePlugin({
  name: "EventRateLimit",
  reads: ["vocabulary", "allowances"],
  configure: (configuration, { vocabulary }) => readEventLimits(configuration, vocabulary),
  make({ allowances }, limits) {
    const all = limits.map((limit, position) => new LimitedEvents(limit, position, allowances));
    const counted = new RecentMap<string, true>(COUNTED_MAX);
    return {
      on: [{ operations: ["CREATE", "UPDATE"], resources: [{ group: "", plural: "events" }] }],
      validate(request) {
        if (request.dryRun || !isOfCore(request)) return;
        if (request.attempt > 1 && counted.get(request.uid)) return;
        counted.set(request.uid, true);
        // Every limit counts the event, whatever the other limits answer.
        const counts = all.map((limit) => limit.count(request));
        return counts.some((count) => count instanceof Promise)
          ? Promise.all(counts).then(requireNone)
          : requireNone(counts as (string | undefined)[]);
      },
    };
  },
});

/** @throws StatusError TooManyRequests (429) */
function requireNone(counts: readonly (string | undefined)[]): void {
  const refusals = counts.filter((count) => count !== undefined);
  const [why, ...more] = refusals;
  if (why === undefined) return;
  throw tooManyRequests(`Too many requests: ${more.length === 0 ? why : `[${refusals.join(", ")}]`}`);
}

/** Returns whether the event is in the core group. The newer group's kind is not limited. */
const isOfCore = ({ kind }: AdmissionRequest): boolean => kind.group === "";
