// Prepares a service before validation: keeps allocated values that an update omits, makes `clusterIP` and `clusterIPs`
// consistent, and clears fields that the new type does not use. Source: pkg/registry/core/service/strategy.go.

import type { Features, RuleContext } from "@orch/apis-model";
import type { coreV1, JsonObject } from "@orch/schema";
import { isHeadless, isOpen, isReachable, isShutOff, needsHealthCheck } from "./service-kinds";

/** Fields that are read and written here. */
type Spec = { -readonly [Field in keyof coreV1.ServiceSpec]?: coreV1.ServiceSpec[Field] | undefined };

type Port = { -readonly [Field in keyof coreV1.ServicePort]: coreV1.ServicePort[Field] };

const specOf = (service: JsonObject): Spec | undefined => service["spec"] as Spec | undefined;

/** Prepares a new service: sets the list from the single address. */
export function prepareNewService(service: JsonObject, { features }: RuleContext): void {
  const spec = specOf(service);
  if (features.isOff("IPv6DualStack")) keepOneAddress(spec);
  if (spec?.clusterIP && (spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [spec.clusterIP];
  routeExternally(spec, features);
}

export function prepareServiceUpdate(service: JsonObject, oldService: JsonObject, { features }: RuleContext): void {
  const spec = specOf(service);
  const old = specOf(oldService) ?? {};
  if (spec === undefined) return;
  if (features.isOff("IPv6DualStack") && (old.clusterIPs ?? []).length < 2) keepOneAddress(spec);
  keepAllocated(spec, old);
  if (!features.since("1.36")) keepClass(spec, old);
  followAddress(spec, old);
  leaveSecondStack(spec, old);
  releaseAddresses(spec, old, features);
  releasePorts(spec, old);
  if (isReachable(old, features) && !isReachable(spec, features)) delete spec.externalTrafficPolicy;
  routeExternally(spec, features);
  if (spec.type === "ExternalName" && features.since("1.36")) delete spec.internalTrafficPolicy;
  if (spec.type !== "LoadBalancer") clearIngress(service);
}

/** Sets the policy for traffic to external addresses, which services without node ports have since 1.29. */
function routeExternally(spec: Spec | undefined, features: Features): void {
  if (spec !== undefined && !isOpen(spec) && isReachable(spec, features)) spec.externalTrafficPolicy ||= "Cluster";
}

/** Keeps one address while dual stack is disabled. */
function keepOneAddress(spec: Spec | undefined): void {
  if (spec?.clusterIPs !== undefined && spec.clusterIPs.length > 1) spec.clusterIPs = spec.clusterIPs.slice(0, 1);
}

/**
 * Keeps allocated values that an update omits, so that a client may apply a manifest without reading the object first.
 * Source: pkg/registry/core/service/storage/storage.go, `patchAllocatedValues`.
 */
function keepAllocated(spec: Spec, old: Spec): void {
  if (old.type !== "ExternalName" && spec.type !== "ExternalName") {
    // Releases before 1.20 store no list and require the address of a headless service in every update.
    if (!isHeadless(old) || old.clusterIPs !== undefined) keepAddresses(spec, old);
    keepFamilies(spec, old);
  }
  if (takesNodePorts(old) && takesNodePorts(spec)) keepNodePorts(spec, old);
  if (needsHealthCheck(old) && needsHealthCheck(spec) && !spec.healthCheckNodePort && old.healthCheckNodePort) {
    spec.healthCheckNodePort = old.healthCheckNodePort;
  }
}

/** Keeps the class of a load balancer. Releases since 1.36 require it in every update. */
function keepClass(spec: Spec, old: Spec): void {
  if (old.type !== "LoadBalancer" || spec.type !== "LoadBalancer" || old.loadBalancerClass === undefined) return;
  spec.loadBalancerClass ??= old.loadBalancerClass;
}

/** Keeps address and list together; `None` is a value. */
function keepAddresses(spec: Spec, old: Spec): void {
  if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
  // An address without a list that differs from the stored one is a change by a client that knows only the address.
  if (isEmpty(spec.clusterIPs) && !isEmpty(old.clusterIPs) && spec.clusterIP === old.clusterIP) {
    spec.clusterIPs = [...old.clusterIPs];
  }
}

function keepFamilies(spec: Spec, old: Spec): void {
  if (isEmpty(old.ipFamilies)) return;
  if (old.ipFamilyPolicy !== undefined) spec.ipFamilyPolicy ??= old.ipFamilyPolicy;
  if (!isEmpty(spec.ipFamilies)) return;
  spec.ipFamilies = spec.ipFamilyPolicy === "SingleStack" ? old.ipFamilies.slice(0, 1) : [...old.ipFamilies];
}

/** Keeps the node port of each port by the port's name, unless the update names the node port for another port. */
function keepNodePorts(spec: Spec, old: Spec): void {
  const named = new Set((spec.ports ?? []).map(({ nodePort = 0 }) => nodePort));
  const before = new Map((old.ports ?? []).map(({ name = "", nodePort = 0 }) => [name, nodePort]));
  for (const port of (spec.ports ?? []) as Port[]) {
    const kept = before.get(port.name ?? "");
    if (!port.nodePort && kept && !named.has(kept)) port.nodePort = kept;
  }
}

const isEmpty = (list: readonly unknown[] | undefined): list is undefined | readonly [] => (list ?? []).length === 0;

/** Whether the ports of the service are given ports of the nodes. */
const takesNodePorts = (spec: Spec): boolean => isOpen(spec) && !isShutOff(spec);

/** Updates the list when a client changes only the single address. */
function followAddress(spec: Spec, old: Spec): void {
  const { clusterIP = "", clusterIPs = [] } = spec;
  const { clusterIP: oldAddress = "", clusterIPs: oldList = [] } = old;
  const isListUnchanged = isSameList(clusterIPs, oldList);
  if (clusterIPs.length === 0 && clusterIP === oldAddress && oldList.length > 0) spec.clusterIPs = [...oldList];
  // Older releases store no list.
  else if (clusterIPs.length === 0 && clusterIP !== "" && oldList.length === 0) spec.clusterIPs = [clusterIP];
  else if (clusterIP === oldAddress) return;
  else if (clusterIP === "" && isListUnchanged) delete spec.clusterIPs;
  else if (clusterIP !== "" && (isListUnchanged || clusterIPs.length === 0)) spec.clusterIPs = [clusterIP];
}

/** Drops the second address and family when an update only sets the policy SingleStack and sends the rest unchanged. */
function leaveSecondStack(spec: Spec, old: Spec): void {
  if (spec.ipFamilyPolicy !== "SingleStack" || (old.ipFamilyPolicy ?? "SingleStack") === "SingleStack") return;
  if (spec.clusterIPs !== undefined && isSameList(spec.clusterIPs, old.clusterIPs)) {
    spec.clusterIPs = spec.clusterIPs.slice(0, 1);
  }
  if (spec.ipFamilies !== undefined && isSameList(spec.ipFamilies, old.ipFamilies)) {
    spec.ipFamilies = spec.ipFamilies.slice(0, 1);
  }
}

const isSameList = (one: readonly string[] = [], other: readonly string[] = []): boolean => one.join() === other.join();

/** Clears the addresses that a client sends unchanged when the type becomes ExternalName. */
function releaseAddresses(spec: Spec, old: Spec, features: Features): void {
  if (spec.type !== "ExternalName" || old.type === "ExternalName") return;
  if (features.since("1.36")) {
    if (isSameList(spec.ipFamilies, old.ipFamilies)) delete spec.ipFamilies;
    if (spec.ipFamilyPolicy === old.ipFamilyPolicy) delete spec.ipFamilyPolicy;
  }
  if ((spec.clusterIP ?? "") !== (old.clusterIP ?? "")) return;
  if (!isSameList(spec.clusterIPs, old.clusterIPs)) return;
  for (const field of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] as const) delete spec[field];
}

/** Clears the node ports that a client sends unchanged when the new type has none. */
function releasePorts(spec: Spec, old: Spec): void {
  if (needsHealthCheck(old) && !needsHealthCheck(spec) && spec.healthCheckNodePort === old.healthCheckNodePort) {
    delete spec.healthCheckNodePort;
  }
  if (old.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    for (const field of ["allocateLoadBalancerNodePorts", "loadBalancerClass"] as const) {
      if (spec[field] === old[field]) delete spec[field];
    }
  }
  if (!isOpen(old) || isOpen(spec)) return;
  const known = new Set((old.ports ?? []).map(({ nodePort = 0 }) => nodePort));
  const ports = spec.ports ?? [];
  if (ports.every(({ nodePort = 0 }) => nodePort === 0 || known.has(nodePort))) {
    for (const port of ports) delete port.nodePort;
  }
}

function clearIngress(service: JsonObject): void {
  const status = service["status"] as coreV1.ServiceStatus | undefined;
  if (status?.loadBalancer?.ingress !== undefined) service["status"] = { ...status, loadBalancer: {} } as JsonObject;
}
