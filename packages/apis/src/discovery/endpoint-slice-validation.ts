// Validation of endpoint slices. Source: pkg/apis/discovery/validation/validation.go.

import {
  all,
  each,
  fields,
  format,
  fullyQualifiedDomainName,
  ifSet,
  isExact,
  label1123,
  labels,
  labelValue,
  oneOf,
  present,
  qualifiedName,
  type Rule,
  reachableAddress,
  subdomain,
  unchanged,
  validator,
} from "@orch/apis-model";
import { type AddressFamily, canonicalAddress, type FormatErrors, familyOf, ipErrors } from "@orch/machinery";
import type { discoveryV1 } from "@orch/schema";

const ENDPOINTS_MAX = 1000;
const PORTS_MAX = 100;
/** Maximum number of ports since 1.27. */
const MORE_PORTS_MAX = 20000;
const HINTS_MAX = 8;
const TOPOLOGY_MAX = 16;

const atMost =
  (max: number): Rule<readonly unknown[]> =>
  ({ length: count }, at, report) => {
    if (count > max) report.tooMany(at, { count, max });
  };

const ofFamily = (family: AddressFamily) =>
  format((text: string): FormatErrors => {
    const errors = ipErrors(text);
    return errors.length > 0 || familyOf(text) === family ? errors : [`must be an ${family} address`];
  });

/** Requires the text of RFC 5952, section 4, for an IPv6 address. Source: KEP-4858, "IP/CIDR validation improvements". */
const canonical: Rule<string> = (text, at, report) => {
  if (familyOf(text) !== "IPv6" || !report.features.since("1.36")) return;
  const expected = canonicalAddress(text);
  if (text !== expected) report.invalid(at, text, `must be in canonical form ("${expected}")`);
};

const ADDRESS = {
  FQDN: fullyQualifiedDomainName,
  IPv4: ofFamily("IPv4"),
  IPv6: all(ofFamily("IPv6"), canonical),
} as const satisfies Readonly<Record<discoveryV1.EndpointSlice["addressType"], Rule<string>>>;

/** Requires few hints, each of another zone or node. */
const distinctHints =
  (name: Rule<string>): Rule<readonly { readonly name: string }[]> =>
  (hints, at, report) => {
    if (hints.length > HINTS_MAX) {
      report.tooMany(at, { count: hints.length, max: HINTS_MAX });
      return;
    }
    const seen = new Set<string>();
    for (const [position, hint] of hints.entries()) {
      const place = at.item(position).field("name");
      if (seen.has(hint.name)) report.duplicate(place, hint.name);
      seen.add(hint.name);
      name(hint.name, place, report);
    }
  };

const hints = fields<discoveryV1.EndpointHints>({
  forZones: distinctHints(labelValue),
  forNodes: distinctHints(subdomain),
});

const endpoint = fields<discoveryV1.Endpoint>({
  hostname: label1123,
  nodeName: subdomain,
  hints: (value, at, report) => {
    if (report.features.since("1.27")) hints(value, at, report);
  },
  deprecatedTopology: (topology, at, report) => {
    const count = Object.keys(topology).length;
    if (count > TOPOLOGY_MAX) report.tooMany(at, { count, max: TOPOLOGY_MAX });
    labels(topology, at, report);
  },
});

/** Requires distinct port names. All ports without a name have the same empty one. */
const distinctNames: Rule<readonly discoveryV1.EndpointPort[]> = (ports, at, report) => {
  const seen = new Set<string>();
  ports.forEach(({ name = "" }, position) => {
    if (seen.has(name)) report.duplicate(at.item(position).field("name"), name);
    seen.add(name);
  });
};

const port = fields<discoveryV1.EndpointPort>({
  name: ifSet(label1123),
  protocol: present(oneOf("SCTP", "TCP", "UDP")),
  appProtocol: qualifiedName,
});

export const validateEndpointSlice = validator(
  all<discoveryV1.EndpointSlice>(
    fields<discoveryV1.EndpointSlice>({
      addressType: ifSet(oneOf(...Object.keys(ADDRESS))),
      endpoints: all(atMost(ENDPOINTS_MAX), each(endpoint)),
      ports: all(
        (list, at, report) => atMost(report.features.since("1.27") ? MORE_PORTS_MAX : PORTS_MAX)(list, at, report),
        each(port),
        distinctNames,
      ),
    }),
    ({ addressType, endpoints }, at, report) => {
      if (!Object.hasOwn(ADDRESS, addressType)) return;
      // Exact errors of an update do not include those of endpoints that it does not change.
      const { endpoints: before } = (report.stored ?? {}) as Partial<discoveryV1.EndpointSlice>;
      if (isExact(report) && before !== undefined && unchanged(endpoints, before)) return;
      const address: Rule<string> = ADDRESS[addressType];
      const place = at.field("endpoints");
      endpoints?.forEach(({ addresses }, position) => {
        addresses?.forEach((text, nth) => {
          const list = place.item(position).field("addresses");
          const item = list.item(nth);
          const family = familyOf(text);
          if (isExact(report) && addressType !== "FQDN" && family !== undefined && family !== addressType) {
            report.invalid(list, text, `must be an ${addressType} address`);
          } else address(text, item, report);
          if (addressType !== "FQDN" && report.features.since("1.27") && familyOf(text) !== undefined) {
            reachableAddress(text, item, report);
          }
        });
      });
    },
  ),
);
