// Validation of pod status updates. Source: pkg/apis/core/validation/validation.go.

import { type Place, type Report, strictAddressErrors, unchanged, updateValidator } from "@orch/apis-model";
import { familyOf, ipErrors, qualifiedNameErrors, subdomainErrors } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";
import { containerStatuses } from "./container-statuses-validation";
import { claimStatuses, extendedClaimStatus } from "./resource-claims-validation";

export const podStatusErrors = updateValidator<coreV1.Pod>((next, old, at, report) => {
  const place = at.field("status");
  const status = next.status ?? {};
  const before = old.status ?? {};
  if ((next.spec?.nodeName ?? "") !== (old.spec?.nodeName ?? "")) {
    report.forbidden(place.field("nodeName"), "may not be changed directly");
  }
  const { nominatedNodeName = "" } = status;
  if (nominatedNodeName !== "") {
    report.misformed(place.field("nominatedNodeName"), nominatedNodeName, subdomainErrors(nominatedNodeName));
    const changes = nominatedNodeName !== (before.nominatedNodeName ?? "");
    if (changes && old.spec?.nodeName && report.features.isOn("ClearingNominatedNodeNameAfterBinding")) {
      report.forbidden(place.field("nominatedNodeName"), "may not be set on pods that are already bound to a node");
    }
  }
  if (report.features.isOn("PodObservedGenerationTracking")) {
    observedGenerations(status, place, report);
    if (!unchanged(status.qosClass, before.qosClass)) {
      report.immutable(place.field("qosClass"), status.qosClass);
    }
  }
  claimStatuses(next, place, report);
  extendedClaimStatus(next, place, report);
  conditionTypes(status.conditions ?? [], place.field("conditions"), report);
  const policy = old.spec?.restartPolicy;
  ended(status.containerStatuses, before.containerStatuses, policy, place.field("containerStatuses"), report);
  const initPolicy = policy === "Always" ? "OnFailure" : policy;
  const initPlace = place.field("initContainerStatuses");
  ended(status.initContainerStatuses, before.initContainerStatuses, initPolicy, initPlace, report);
  if (report.features.since("1.28")) hostAddresses(status, before, place.field("hostIPs"), report);
  if (report.features.since("1.36"))
    newAddresses(status.podIPs ?? [], before.podIPs ?? [], place.field("podIPs"), report);
  else if (addressesFit(before.podIPs ?? [])) addresses(status.podIPs ?? [], place.field("podIPs"), report);
  containerStatuses(next, place, report);
});

const SYSTEM_CONDITIONS: ReadonlySet<string> = new Set(["ContainersReady", "Initialized", "PodScheduled", "Ready"]);

function conditionTypes(conditions: readonly coreV1.PodCondition[], at: Place, report: Report): void {
  conditions.forEach(({ type }, position) => {
    if (SYSTEM_CONDITIONS.has(type)) return;
    // Kubernetes writes the name of the field with a capital.
    const place = at.item(position).field(report.features.since("1.26") ? "Type" : "type");
    report.misformed(place, type ?? "", qualifiedNameErrors(type ?? ""));
  });
}

function observedGenerations(status: coreV1.PodStatus, at: Place, report: Report): void {
  const check = (value: number | undefined, place: Place) => {
    if ((value ?? 0) < 0) report.invalid(place.field("observedGeneration"), value, "must be a non-negative integer");
  };
  check(status.observedGeneration, at);
  status.conditions?.forEach(({ observedGeneration }, position) => {
    check(observedGeneration, at.field("conditions").item(position));
  });
}

type Statuses = readonly coreV1.ContainerStatus[] | undefined;

/** Rejects a restart of a container that has terminated for good. */
function ended(next: Statuses, old: Statuses, policy: string | undefined, at: Place, report: Report): void {
  if (policy === "Always") return;
  const gone = new Set<string>();
  for (const { name, state } of old ?? []) {
    if (state?.terminated === undefined) continue;
    if (policy !== "OnFailure" || state.terminated.exitCode === 0) gone.add(name);
  }
  next?.forEach(({ name, state }, position) => {
    if (!gone.has(name) || state?.terminated !== undefined) return;
    report.forbidden(at.item(position).field("state"), "may not be transitioned to non-terminated state");
  });
}

/** Stored addresses that break a rule may stay. */
function hostAddresses(status: coreV1.PodStatus, before: coreV1.PodStatus, at: Place, report: Report): void {
  const { hostIP = "", hostIPs = [] } = status;
  const [first] = hostIPs;
  if (first === undefined || unchanged(hostIPs, before.hostIPs)) return;
  if (first.ip !== hostIP) report.invalid(at.item(0).field("ip"), first.ip, "must be equal to `hostIP`");
  for (const [position, { ip }] of hostIPs.entries()) report.misformed(at.item(position), ip, ipErrors(ip));
  if (hostIPs.length > 1 && !addressesFit(hostIPs)) {
    if (report.features.since("1.36") && hostIPs.some(({ ip = "" }) => familyOf(ip) === undefined)) {
      report.internal(at, NOT_DUAL_STACK);
    }
    report.invalid(at, hostIPs, "may specify no more than one IP for each IP family");
  }
}

type Addresses = readonly coreV1.PodIP[];

function addressesFit(list: Addresses): boolean {
  const families = list.map(({ ip }) => familyOf(ip));
  return !families.includes(undefined) && new Set(families).size === families.length;
}

const NOT_DUAL_STACK = "failed to check for dual stack: an address is invalid";

/** Stored addresses that break the format may stay. A pod has at most one address of each family. */
function newAddresses(list: Addresses, before: Addresses, at: Place, report: Report): void {
  const known = new Set(before.map(({ ip }) => ip));
  const isStrict = report.features.isOn("StrictIPCIDRValidation");
  list.forEach(({ ip = "" }, position) => {
    if (known.has(ip)) return;
    report.misformed(at.item(position), ip, ipErrors(ip));
    if (isStrict) report.misformed(at.item(position), ip, strictAddressErrors(ip));
  });
  if (list.length < 2) return;
  const families = list.map(({ ip = "" }) => familyOf(ip));
  if (families.includes(undefined)) report.internal(at, NOT_DUAL_STACK);
  if (list.length > 2 || new Set(families).size < 2 || families.includes(undefined)) {
    report.invalid(at, list, "may specify no more than one IP for each IP family");
  }
}

function addresses(list: Addresses, at: Place, report: Report): void {
  const seen = new Set<string>();
  list.forEach(({ ip }, position) => {
    report.misformed(at.item(position), ip, ipErrors(ip));
    if (seen.has(ip)) report.duplicate(at.item(position), ip);
    seen.add(ip);
  });
  const families = list.flatMap(({ ip }) => familyOf(ip) ?? []);
  if (list.length > 1 && new Set(families).size < families.length) {
    report.invalid(at, list, "may specify no more than one IP for each IP family");
  }
}
