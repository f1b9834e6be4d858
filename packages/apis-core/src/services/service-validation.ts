// Validation of services. Source: pkg/apis/core/validation/validation.go.

import {
  absoluteSubdomain,
  all,
  each,
  fields,
  isExact,
  labels,
  nonNegative,
  oneOf,
  type Place,
  parseCidr,
  qualifiedName,
  type Report,
  type Rule,
  reachableAddress,
  required,
  strictRangeErrors,
  updateValidator,
  validator,
} from "@orch/apis-model";
import { familyOf, subdomainErrors } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";
import { addressesStay, clusterAddresses } from "./service-addresses-validation";
import { isOpen, isReachable, needsHealthCheck } from "./service-kinds";
import { mixedProtocols, servicePorts } from "./service-ports-validation";

type SpecRule = Rule<coreV1.ServiceSpec>;

const externalName: SpecRule = (spec, at, report) => {
  if (spec.type !== "ExternalName") return;
  for (const name of ["clusterIPs", "ipFamilies"] as const) {
    if ((spec[name] ?? []).length > 0) report.forbidden(at.field(name), "may not be set for ExternalName services");
  }
  if (spec.ipFamilyPolicy !== undefined) {
    report.forbidden(at.field("ipFamilyPolicy"), "may not be set for ExternalName services");
  }
  const place = at.field("externalName");
  if (!spec.externalName) report.required(place);
  else absoluteSubdomain(spec.externalName, place, report);
};

const SESSION_SECONDS_MAX = 86400;

const sessionConfig: SpecRule = ({ sessionAffinity, sessionAffinityConfig: config }, at, report) => {
  const place = at.field("sessionAffinityConfig");
  if (sessionAffinity === "None" && config !== undefined) {
    report.forbidden(place, "must not be set when session affinity is None");
  }
  if (sessionAffinity !== "ClientIP") return;
  const timeout = place.field("clientIP").field("timeoutSeconds");
  const seconds = config?.clientIP?.timeoutSeconds;
  if (seconds === undefined) report.required(timeout, "must be set when session affinity is ClientIP");
  else if (seconds <= 0 || seconds > SESSION_SECONDS_MAX) {
    report.invalid(timeout, seconds, `must be greater than 0 and at most ${SESSION_SECONDS_MAX}`);
  }
};

const SOURCE_RANGES_TEXT = "must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24";

/** Checks the source ranges in the field or in the older annotation. */
function sourceRanges({ metadata, spec }: coreV1.Service, at: Place, report: Report): void {
  const name = report.vocabulary.annotations.serviceBetaLoadBalancerSourceRanges;
  const annotation = metadata?.annotations?.[name];
  const ranges = spec?.loadBalancerSourceRanges ?? [];
  if (ranges.length === 0 && annotation === undefined) return;
  const place =
    ranges.length > 0
      ? at.field("spec").field(report.features.since("1.33") ? "LoadBalancerSourceRanges" : "loadBalancerSourceRanges")
      : at.field("metadata").field("annotations").key(name);
  if (spec?.type !== "LoadBalancer") report.forbidden(place, "may only be used when `type` is 'LoadBalancer'");
  if (ranges.length > 0 && report.features.since("1.33")) {
    for (const [position, text] of ranges.entries()) {
      if (parseCidr(text.trim()) === undefined) report.invalid(place.item(position), text, "must be a CIDR");
    }
    return;
  }
  const texts = ranges.length > 0 ? ranges : (annotation ?? "").split(",").filter((text) => text.trim() !== "");
  if (texts.some((text) => parseCidr(text.trim()) === undefined)) {
    report.invalid(place, ranges.length > 0 ? ranges : annotation, SOURCE_RANGES_TEXT);
  }
}

/** Requires strict texts of the ranges in the annotation, unless the stored service has the same annotation. */
function strictAnnotation(service: coreV1.Service, old: coreV1.Service | undefined, at: Place, report: Report): void {
  if (!report.features.isOn("StrictIPCIDRValidation") || (service.spec?.loadBalancerSourceRanges ?? []).length > 0)
    return;
  const name = report.vocabulary.annotations.serviceBetaLoadBalancerSourceRanges;
  const text = service.metadata?.annotations?.[name];
  if (text === undefined || text === old?.metadata?.annotations?.[name]) return;
  const place = at.field("metadata").field("annotations").key(name);
  for (const range of text.split(",")) {
    for (const flaw of strictRangeErrors(range.trim())) report.invalid(place, range.trim(), flaw);
  }
}

const externalTraffic: SpecRule = (spec, at, report) => {
  const policy: string = spec.externalTrafficPolicy ?? "";
  const place = at.field("externalTrafficPolicy");
  const isKnown = policy === "" || policy === "Cluster" || policy === "Local";
  if (report.features.since("1.27")) {
    if (!isKnown) report.notSupported(place, policy, ["Cluster", "Local"]);
    if (policy !== "" && !isReachable(spec, report.features)) {
      report.invalid(place, policy, "may only be set for externally-accessible services");
    }
  } else if (!isKnown) report.invalid(place, policy, "ExternalTrafficPolicy must be empty, Cluster or Local");
  if (policy !== "" && !isOpen(spec) && !report.features.since("1.27")) {
    report.invalid(place, policy, "ExternalTrafficPolicy can only be set on NodePort and LoadBalancer service");
  }
  const { healthCheckNodePort = 0 } = spec;
  if (healthCheckNodePort > 0 && !needsHealthCheck(spec)) {
    report.invalid(
      at.field("healthCheckNodePort"),
      healthCheckNodePort,
      "HealthCheckNodePort can only be set on LoadBalancer service with ExternalTrafficPolicy=Local",
    );
  }
};

/** Source: KEP-2086, "Service Internal Traffic Policy". */
const internalTraffic: SpecRule = ({ internalTrafficPolicy: policy }, at, report) => {
  if (policy === undefined || !report.features.since("1.22")) return;
  if (policy !== "Cluster" && policy !== "Local") {
    report.notSupported(at.field("internalTrafficPolicy"), policy, ["Cluster", "Local"]);
  }
};

const classOfLoadBalancer: SpecRule = ({ type, loadBalancerClass: name }, at, report) => {
  if (name === undefined || (type !== "LoadBalancer" && isExact(report))) return;
  qualifiedName(name, at.field("loadBalancerClass"), report);
};

const loadBalancerOnly: SpecRule = (spec, at, report) => {
  if (spec.type === "LoadBalancer") return;
  for (const name of ["allocateLoadBalancerNodePorts", "loadBalancerClass"] as const) {
    if (spec[name] !== undefined) report.forbidden(at.field(name), "may only be used when `type` is 'LoadBalancer'");
  }
};

const TOPOLOGY_KEYS_MAX = 16;

const topologyKeys: SpecRule = ({ topologyKeys: keys = [], externalTrafficPolicy }, at, report) => {
  if (keys.length === 0) return;
  const place = at.field("topologyKeys");
  if (externalTrafficPolicy === "Local") {
    report.forbidden(place, "may not be specified when `externalTrafficPolicy=Local`");
  }
  if (keys.length > TOPOLOGY_KEYS_MAX) report.tooMany(place, { count: keys.length, max: TOPOLOGY_KEYS_MAX });
  const seen = new Set<string>();
  for (const [position, key] of keys.entries()) {
    if (seen.has(key)) report.duplicate(place.item(position), key);
    seen.add(key);
    if (key !== "*") qualifiedName(key, place.item(position), report);
    else if (position < keys.length - 1) report.invalid(place.item(position), key, '"*" must be the last value');
  }
};

const closeOnly = oneOf("PreferClose");
const everyDistribution = oneOf("PreferClose", "PreferSameNode", "PreferSameZone");

/** Source: KEP-4444, "Traffic Distribution to Services"; KEP-3015, "PreferSameZone and PreferSameNode". */
const trafficDistribution: SpecRule = ({ trafficDistribution: value }, at, report) => {
  if (value === undefined || !report.features.isOn("ServiceTrafficDistribution")) return;
  const known = report.features.isOn("PreferSameTrafficDistribution") ? everyDistribution : closeOnly;
  known(value, at.field("trafficDistribution"), report);
};

const serviceSpec: SpecRule = all(
  servicePorts,
  externalName,
  fields<coreV1.ServiceSpec>({
    selector: labels,
    sessionAffinity: required(oneOf("ClientIP", "None")),
  }),
  sessionConfig,
  clusterAddresses,
  fields<coreV1.ServiceSpec>({
    externalIPs: each(reachableAddress),
    type: required(oneOf("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")),
    healthCheckNodePort: nonNegative,
  }),
  classOfLoadBalancer,
  externalTraffic,
  internalTraffic,
  loadBalancerOnly,
  topologyKeys,
  trafficDistribution,
);

/** Requires equal values of the two annotations that choose a topology. */
function topologyMode({ metadata }: coreV1.Service, at: Place, report: Report): void {
  const names = report.vocabulary.annotations;
  const mode = metadata?.annotations?.[names.serviceTopologyMode];
  const hints = metadata?.annotations?.[names.serviceTopologyAwareHints];
  if (mode === undefined || hints === undefined || mode === hints || !report.features.since("1.27")) return;
  const place = at.field("metadata").field("annotations").key(names.serviceTopologyMode);
  report.invalid(place, mode, `must match annotations[${names.serviceTopologyAwareHints}] when both are specified`);
}

export const serviceErrors = validator<coreV1.Service>((service, at, report) => {
  topologyMode(service, at, report);
  serviceSpec(service.spec ?? {}, at.field("spec"), report);
  sourceRanges(service, at, report);
});

export const newServiceErrors = validator<coreV1.Service>((service, at, report) => {
  mixedProtocols(service.spec ?? {}, at.field("spec"), report);
  strictAnnotation(service, undefined, at, report);
});

export const serviceUpdateErrors = updateValidator<coreV1.Service>((next, old, at, report) => {
  const place = at.field("spec");
  const after = next.spec ?? {};
  const before = old.spec ?? {};
  addressesStay(after, before, place, report);
  strictAnnotation(next, old, at, report);
  const ports = place.field("healthCheckNodePort");
  if (needsHealthCheck(after) && needsHealthCheck(before)) {
    const [wanted, had] = [after.healthCheckNodePort ?? 0, before.healthCheckNodePort ?? 0];
    if (wanted !== had) {
      if (isExact(report)) report.forbidden(ports, "field is immutable");
      else report.invalid(ports, wanted, "field is immutable while the service needs it");
    }
  }
  if (after.type === "LoadBalancer" && before.type === "LoadBalancer") {
    const { loadBalancerClass: wanted } = after;
    if (wanted !== before.loadBalancerClass) {
      report.invalid(place.field("loadBalancerClass"), wanted ?? null, "may not change once set");
    }
  }
  // Mixed protocols of the stored service may stay.
  if (!hasMixedProtocols(before)) mixedProtocols(after, place, report);
});

const hasMixedProtocols = ({ ports = [] }: coreV1.ServiceSpec): boolean =>
  new Set(ports.map(({ protocol }) => protocol)).size > 1;

/** Source: KEP-1860, "Make Kubernetes aware of the LoadBalancer behaviour". */
const addressMode = oneOf("Proxy", "VIP");

export const serviceStatusErrors = updateValidator<coreV1.Service>(({ spec, status }, old, at, report) => {
  const place = at.field("status").field("loadBalancer").field("ingress");
  const count = (status?.loadBalancer?.ingress ?? []).length;
  if (count > 0 && spec?.type !== "LoadBalancer" && report.features.since("1.29")) {
    const had = (old.status?.loadBalancer?.ingress ?? []).length > 0;
    if (!had) report.forbidden(place, "may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  for (const [position, { ip = "", ipMode, hostname = "" }] of (status?.loadBalancer?.ingress ?? []).entries()) {
    const item = place.item(position);
    if (ipMode !== undefined && report.features.since("1.30")) {
      if (ip === "") report.forbidden(item.field("ipMode"), "may not be specified when `ip` is not set");
      else addressMode(ipMode, item.field("ipMode"), report);
    }
    if (ip !== "" && familyOf(ip) === undefined) report.invalid(item.field("ip"), ip, "must be a valid IP address");
    if (hostname === "") continue;
    report.misformed(item.field("hostname"), hostname, subdomainErrors(hostname));
    if (familyOf(hostname) !== undefined) {
      report.invalid(item.field("hostname"), hostname, "must be a DNS name, not an IP address");
    }
  }
});
