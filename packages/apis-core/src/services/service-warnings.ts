// Warnings about services and endpoints. Source: Kubernetes documentation, "Service".
import { fieldAt, objectsAt, type WarningContext, WarningList, warnOfAddress } from "@orch/apis-model";
import type { coreV1, JsonObject, JsonValue } from "@orch/schema";
import { isHeadless } from "./service-kinds";

/** Returns the warnings about a service. */
export function serviceWarnings(service: JsonObject, context: WarningContext): readonly string[] {
  const list = new WarningList(context);
  const { texts } = list;
  if (!list.since("1.27")) return texts;
  const { spec = {} } = service as Partial<coreV1.Service>;
  const names = context.vocabulary.annotations;
  if (fieldAt(service, ["metadata", "annotations", names.serviceTopologyAwareHints]) !== undefined) {
    texts.push(
      `annotation ${names.serviceTopologyAwareHints} is deprecated, please use ${names.serviceTopologyMode} instead`,
    );
  }
  warnOfIgnored(spec, list);
  if (list.since("1.36") && spec.externalIPs?.length && spec.type !== "ExternalName" && !isHeadless(spec)) {
    texts.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  }
  if (list.since("1.33")) warnOfEach(spec, list);
  if (spec.trafficDistribution === "PreferClose" && list.since("1.34")) {
    list.add("spec.trafficDistribution", '"PreferClose" is deprecated; use "PreferSameZone"');
  }
  return texts;
}

/** Adds a warning for each field that the type of the service does not use. */
function warnOfIgnored(spec: Partial<coreV1.ServiceSpec>, { texts }: WarningList): void {
  const { type, externalIPs = [], externalName, loadBalancerIP, sessionAffinity } = spec;
  const headless = type === "ClusterIP" && isHeadless(spec);
  if (headless) {
    if (loadBalancerIP) texts.push("spec.loadBalancerIP is ignored for headless services");
    if (externalIPs.length > 0) texts.push("spec.externalIPs is ignored for headless services");
    if (sessionAffinity !== "None") texts.push("spec.SessionAffinity is ignored for headless services");
  }
  if (externalIPs.length > 0 && type === "ExternalName") {
    texts.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (type !== "ExternalName" && externalName) {
    texts.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
}

function warnOfEach(
  { clusterIPs = [], externalIPs = [], loadBalancerIP }: Partial<coreV1.ServiceSpec>,
  list: WarningList,
) {
  const lists = { clusterIPs, externalIPs };
  for (const [field, addresses] of Object.entries(lists)) {
    for (const [position, address] of addresses.entries()) {
      if (address !== "None") warnOfAddress(address, `spec.${field}[${position}]`, list);
    }
  }
  if (loadBalancerIP) warnOfAddress(loadBalancerIP, "spec.loadBalancerIP", list);
}

/** Returns the warnings about endpoints: addresses that are not in canonical form. */
export function endpointsWarnings(endpoints: JsonObject, context: WarningContext): readonly string[] {
  const list = new WarningList(context);
  if (!list.since("1.33")) return list.texts;
  for (const [position, subset] of objectsAt(endpoints, "subsets").entries()) {
    for (const field of ["addresses", "notReadyAddresses"]) {
      for (const [nth, address] of objectsAt(subset, field).entries()) {
        const ip: JsonValue | undefined = address["ip"];
        warnOfAddress(ip, `subsets[${position}].${field}[${nth}].ip`, list);
      }
    }
  }
  return list.texts;
}
