// Validation of the DNS configuration of pods. Source: pkg/apis/core/validation/validation.go.

import { absentAs, absoluteSubdomain, all, each, fields, ip, type Rule, required, subdomain } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";

const NAMESERVERS_MAX = 3;
const SEARCHES_MAX = 6;
const SEARCHES_MAX_CHARACTERS = 256;

const fewSearches: Rule<readonly string[]> = (searches, at, report) => {
  if (searches.length > SEARCHES_MAX) {
    report.invalid(at, searches, `must not have more than ${SEARCHES_MAX} search paths`);
  }
  if (searches.join(" ").length > SEARCHES_MAX_CHARACTERS) {
    report.invalid(at, searches, `must not have more than ${SEARCHES_MAX_CHARACTERS} characters, with spaces between`);
  }
};

const fewNameservers: Rule<readonly string[]> = (nameservers, at, report) => {
  if (nameservers.length > NAMESERVERS_MAX) {
    report.invalid(at, nameservers, `must not have more than ${NAMESERVERS_MAX} nameservers`);
  }
};

const dnsConfig = fields<coreV1.PodDNSConfig>({
  nameservers: all(fewNameservers, each(ip)),
  searches: all(fewSearches, each(absoluteSubdomain)),
  options: each(fields<coreV1.PodDNSConfigOption>({ name: required(undefined, "must not be empty") })),
});

/** Checks the configuration, which is required for the policy `None`. */
export const podDns: Rule<coreV1.PodSpec> = (spec, at, report) => {
  const place = at.field("dnsConfig");
  if (spec.dnsConfig !== undefined) dnsConfig(spec.dnsConfig, place, report);
  if (spec.dnsPolicy !== "None") return;
  if (spec.dnsConfig === undefined) report.required(place, "must provide `dnsConfig` when `dnsPolicy` is None");
  else if ((spec.dnsConfig.nameservers ?? []).length === 0) {
    report.required(place.field("nameservers"), "must provide at least one DNS nameserver when `dnsPolicy` is None");
  }
};

export const hostAlias: Rule<coreV1.HostAlias> = fields<coreV1.HostAlias>({
  ip: absentAs("", ip),
  hostnames: each(subdomain),
});
