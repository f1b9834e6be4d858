// Validation of the DNS configuration of pods. Source: pkg/apis/core/validation/validation.go.

import { absentAs, absoluteSubdomain, all, each, fields, ip, type Rule, subdomain } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { storesRelaxedSearches } from "../containers/stored-pod-spec";

const NAMESERVERS_MAX = 3;
const SEARCHES_MAX = 6;
const SEARCHES_MAX_CHARACTERS = 256;

/** Bounds since 1.26. Source: KEP-2595, "Expanded DNS Configuration". */
const EXPANDED_SEARCHES_MAX = 32;
const EXPANDED_CHARACTERS_MAX = 2048;

const fewSearches: Rule<readonly string[]> = (searches, at, report) => {
  const isExpanded = report.features.since("1.26");
  const count = isExpanded ? EXPANDED_SEARCHES_MAX : SEARCHES_MAX;
  const characters = isExpanded ? EXPANDED_CHARACTERS_MAX : SEARCHES_MAX_CHARACTERS;
  if (searches.length > count) report.invalid(at, searches, `must not have more than ${count} search paths`);
  if (searches.join(" ").length > characters) {
    report.invalid(at, searches, `must not have more than ${characters} characters, with spaces between`);
  }
};

const fewNameservers: Rule<readonly string[]> = (nameservers, at, report) => {
  if (nameservers.length > NAMESERVERS_MAX) {
    report.invalid(at, nameservers, `must not have more than ${NAMESERVERS_MAX} nameservers`);
  }
};

const UNDERSCORED = /^[_a-z0-9]([-_a-z0-9]*[a-z0-9])?(\.[_a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;

/** Source: KEP-4427, "Relaxed DNS search string validation". */
const search: Rule<string> = (value, at, report) => {
  const relaxed = report.features.isOn("RelaxedDNSSearchValidation") || storesRelaxedSearches(report);
  if (!relaxed) return absoluteSubdomain(value, at, report);
  if (value === ".") return;
  const name = value.endsWith(".") ? value.slice(0, -1) : value;
  if (name.length > SUBDOMAIN_MAX) report.invalid(at, name, `must be no more than ${SUBDOMAIN_MAX} characters`);
  if (!UNDERSCORED.test(name)) {
    const text =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-', '_' or '.', and must " +
      "start and end with an alphanumeric character, where a label may also start with '_'";
    report.invalid(at, name, text);
  }
};

const SUBDOMAIN_MAX = 253;

const dnsConfig = fields<coreV1.PodDNSConfig>({
  nameservers: all(fewNameservers, each(ip)),
  searches: all(fewSearches, each(search)),
  options: each((option: coreV1.PodDNSConfigOption, at, report) => {
    if (option.name) return;
    report.required(report.features.since("1.26") ? at : at.field("name"), "must not be empty");
  }),
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
