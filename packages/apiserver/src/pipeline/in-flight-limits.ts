// Limits the number of requests in flight, with separate limits for reading and mutating requests. A user may hold a
// multiple of the free places, so that there is always a place for the next user. Source:
// staging/src/k8s.io/apiserver/pkg/server/filters/maxinflight.go.
import { PRIVILEGED_GROUP, UNAUTHENTICATED_GROUP } from "@orch/auth";
import type { InFlightControl, ReleaseSeat } from "@orch/flow-control";
import type { UserInfo } from "@orch/machinery";
import type { NamedMetrics } from "@orch/platform";
import type { RequestContext } from "@orch/request";

type Kind = "readOnly" | "mutating";

const READING_VERBS = new Set(["get", "list", "watch"]);
/** Places per user for each free place: four fifths of all when there is no other user. */
const SHARE = 4;
/** Places of all anonymous requests together: one tenth. */
const SHARE_OF_UNKNOWN = 1 / 9;
/** The gauge shows the maximum of each such interval. */
const WATERMARK_MS = 1000;

export interface LimitOptions {
  /** 0: no limit. */
  readonly maxReading: number;
  readonly maxMutating: number;
  readonly metrics: NamedMetrics<"apiserver_dropped_requests_total", "apiserver_current_inflight_requests">;
}

interface Places {
  readonly max: number;
  taken: number;
  highest: number;
  readonly byUser: Map<string, PlacesOfUser>;
}

interface PlacesOfUser {
  taken: number;
  /** Releases one place. */
  readonly leave: ReleaseSeat;
}

/** Users without a place are dropped from the table when it has this size. */
const USERS_MAX = 1000;

export class InFlightLimits implements InFlightControl {
  readonly countsWatches = false;
  private readonly places: Readonly<Record<Kind, Places>>;
  private readonly dropped: { inc(labels: { request_kind: Kind }): void };
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: LimitOptions) {
    this.places = { readOnly: none(options.maxReading), mutating: none(options.maxMutating) };
    this.dropped = options.metrics.counter("apiserver_dropped_requests_total");
  }

  admit({ info, user }: RequestContext): ReleaseSeat | undefined {
    const kind: Kind = READING_VERBS.has(info.verb) ? "readOnly" : "mutating";
    const places = this.places[kind];
    const own = places.byUser.get(user.name) ?? remember(places, user.name);
    if (!mayTake(places, own.taken, user)) {
      this.dropped.inc({ request_kind: kind });
      return undefined;
    }
    places.taken += 1;
    own.taken += 1;
    if (places.taken > places.highest) places.highest = places.taken;
    return own.leave;
  }

  start(): void {
    const gauge = this.options.metrics.gauge("apiserver_current_inflight_requests");
    this.timer = setInterval(() => {
      for (const [kind, places] of Object.entries(this.places)) {
        gauge.set({ request_kind: kind }, places.highest);
        places.highest = places.taken;
      }
    }, WATERMARK_MS).unref();
  }

  close(): void {
    clearInterval(this.timer);
  }
}

function remember(places: Places, name: string): PlacesOfUser {
  const { byUser } = places;
  if (byUser.size >= USERS_MAX) {
    for (const [each, { taken }] of byUser) if (taken === 0) byUser.delete(each);
  }
  const own = {
    taken: 0,
    leave: () => {
      places.taken -= 1;
      own.taken -= 1;
    },
  };
  byUser.set(name, own);
  return own;
}

const none = (max: number): Places => ({ max, taken: 0, highest: 0, byUser: new Map() });

/** Admits the privileged group even when all places are taken, so that an overloaded server can be repaired. */
function mayTake({ max, taken }: Places, ofUser: number, { groups }: UserInfo): boolean {
  if (max === 0 || groups.includes(PRIVILEGED_GROUP)) return true;
  const share = groups.includes(UNAUTHENTICATED_GROUP) ? SHARE_OF_UNKNOWN : SHARE;
  return ofUser < share * (max - taken);
}
