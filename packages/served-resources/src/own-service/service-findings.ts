// Reports the findings of allocation repair as events on the affected services. Source:
// pkg/registry/core/service/ipallocator/controller/repair.go.
import { type ServiceAllocation, serviceAllocationOf } from "@orch/apis";
import type { AllocationKey } from "@orch/machinery";
import type { AllocationRepairs, HeldAllocations, ResourceStorage } from "@orch/registry";
import { type OwnEventsDeps, reportOwnEvent } from "./own-events";

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

export interface ServiceFindingsDeps extends OwnEventsDeps {
  readonly services: ResourceStorage;
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

async function tell(deps: ServiceFindingsDeps, { finding, allocation, path }: Concerned): Promise<void> {
  const [namespace = "", name = ""] = path.split("/");
  const service = deps.services.peek({ namespace, name })?.whole();
  if (service === undefined) return;
  const on = serviceAllocationOf(allocation);
  const what = on.kind === "address" ? `cluster IP ${on.address}` : `node port ${on.port}`;
  const held = { ...service, kind: "Service", apiVersion: "v1" };
  await reportOwnEvent(deps, held, {
    reason: REASONS[on.kind][finding],
    message: `The ${what} ${NOTES[finding]}.`,
    source: SOURCES[on.kind],
    mark: `${finding} ${allocation}`,
  });
}
