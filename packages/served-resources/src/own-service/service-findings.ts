// Reports the findings of allocation repair as events on the affected services. Source:
// pkg/registry/core/service/ipallocator/controller/repair.go.
import { createHash } from "node:crypto";
import { type ServiceAllocation, serviceAllocationOf } from "@orch/apis";
import { type AllocationKey, metaOf, StatusError, timestamp } from "@orch/machinery";
import type { AllocationRepairs, HeldAllocations, ResourceStorage } from "@orch/registry";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { serverWrite } from "../serving/own-identity";

type Finding = Exclude<keyof AllocationRepairs, "released">;

const REASONS: Readonly<Record<ServiceAllocation["kind"], Readonly<Record<Finding, string>>>> = {
  address: {
    recorded: "ClusterIPNotAllocated",
    shared: "ClusterIPAlreadyAllocated",
    withdrawn: "ClusterIPOutOfRange",
  },
  port: { recorded: "PortNotAllocated", shared: "PortAlreadyAllocated", withdrawn: "PortOutOfRange" },
};

const SOURCES: Readonly<Record<ServiceAllocation["kind"], string>> = {
  address: "ipallocator-repair-controller",
  port: "portallocator-repair-controller",
};

const NOTES: Readonly<Record<Finding, string>> = {
  recorded: "was not recorded as allocated, and is now",
  shared: "is used by more than one service: recreate this service to allocate another",
  withdrawn: "is outside of the configured range: recreate this service to allocate another",
};

/**
 * Maximum number of events per pass: after a change of the range every service may be affected. The log has the total.
 */
const TOLD_MAX = 100;

export interface ServiceFindingsDeps {
  readonly services: ResourceStorage;
  readonly events: ResourceStorage;
  readonly vocabulary: Vocabulary;
  /** Milliseconds since 1970. */
  now(): number;
}

/** @throws StatusError when the store rejects an event */
export async function reportFindings(deps: ServiceFindingsDeps, repairs: AllocationRepairs): Promise<void> {
  const told = (["recorded", "shared", "withdrawn"] as const).flatMap((finding) =>
    concerned(finding, repairs[finding]),
  );
  for (const { finding, allocation, path } of told.slice(0, TOLD_MAX)) await tell(deps, { finding, allocation, path });
}

interface Concerned {
  readonly finding: Finding;
  readonly allocation: AllocationKey;
  /** `<namespace>/<name>` of the service. */
  readonly path: string;
}

const concerned = (finding: Finding, allocations: HeldAllocations): readonly Concerned[] =>
  [...allocations].flatMap(([allocation, paths]) => paths.map((path) => ({ finding, allocation, path })));

/** Writes one event. The same finding is the same event on every replica: repetitions increase its count. */
async function tell(deps: ServiceFindingsDeps, of: Concerned): Promise<void> {
  const { services, events, vocabulary, now } = deps;
  const [namespace = "", name = ""] = of.path.split("/");
  const service = services.peek({ namespace, name })?.whole();
  if (service === undefined) return;
  const event = eventOf(service, of, timestamp(now()));
  const key = { namespace, name: metaOf(event).name ?? "" };
  try {
    await events.create(event, { namespace, name: "" }, serverWrite(events, vocabulary));
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== "AlreadyExists") throw error;
    const again = (old: JsonObject): JsonObject => ({
      ...old,
      count: Number(old["count"] ?? 1) + 1,
      lastTimestamp: timestamp(now()),
    });
    await events.changeInPlace(again, key, serverWrite(events, vocabulary));
  }
}

function eventOf(service: JsonObject, { finding, allocation }: Concerned, time: string): JsonObject {
  const { namespace = "", name = "", uid = "" } = metaOf(service);
  const on = serviceAllocationOf(allocation);
  const what = on.kind === "address" ? `cluster IP ${on.address}` : `node port ${on.port}`;
  const mark = createHash("sha256").update(`${uid} ${finding} ${allocation}`).digest("hex").slice(0, 16);
  return {
    kind: "Event",
    apiVersion: "v1",
    metadata: { namespace, name: `${name}.${mark}` },
    involvedObject: { kind: "Service", apiVersion: "v1", namespace, name, uid },
    type: "Warning",
    reason: REASONS[on.kind][finding],
    message: `The ${what} ${NOTES[finding]}.`,
    source: { component: SOURCES[on.kind] },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}
