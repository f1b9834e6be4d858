// Validation of the cluster IPs and IP families of services. Source: pkg/apis/core/validation/validation.go.

import { all, each, fields, isExact, oneOf, type Place, type Report, type Rule, unique } from "@orch/apis-model";
import { familyOf } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";
import { addressesOf, isHeadless } from "./service-kinds";

type SpecRule = Rule<coreV1.ServiceSpec>;

/** One address per family. */
const ADDRESSES_MAX = 2;

const firstOfTheList: SpecRule = ({ type, clusterIP = "", clusterIPs = [] }, at, report) => {
  if (type === "ExternalName") return;
  const place = at.field("clusterIPs");
  if (clusterIP === "") {
    if (clusterIPs.length > 0) report.invalid(place, clusterIPs, "must be empty when `clusterIP` is not specified");
  } else if (clusterIPs.length === 0) report.required(place);
  else if (clusterIPs[0] !== clusterIP) report.invalid(place, clusterIPs, "first value must match `clusterIP`");
};

const ONLY_NONE = "'None' must be the first and only value";

const addresses: SpecRule = ({ type, clusterIPs = [], ipFamilies = [] }, at, report) => {
  if (type === "ExternalName" || clusterIPs.length === 0) return;
  const place = at.field("clusterIPs");
  if (clusterIPs.length > ADDRESSES_MAX)
    report.invalid(place, clusterIPs, `may only hold up to ${ADDRESSES_MAX} values`);
  if (clusterIPs.length > 1 && clusterIPs.includes("None")) report.invalid(place, clusterIPs, ONLY_NONE);
  clusterIPs.forEach((address, position) => {
    if (address === "None") return;
    const family = familyOf(address);
    const wanted = isFamily(ipFamilies[position], report) ? (ipFamilies[position] ?? "") : "";
    if (family === undefined) {
      report.invalid(place.item(position), address, "must be empty, 'None', or a valid IP address");
    } else if (wanted !== "" && family !== wanted) {
      const says = `expected an ${wanted} value as indicated by \`ipFamilies[${position}]\``;
      report.invalid(place.item(position), address, says);
    }
  });
  const families = clusterIPs.flatMap((address) => familyOf(address) ?? []);
  if (clusterIPs.length === 2 && families.length === 2 && families[0] === families[1]) {
    report.invalid(place, clusterIPs, "may specify no more than one IP for each IP family");
  }
};

const families = fields<coreV1.ServiceSpec>({
  ipFamilies: all(
    each(oneOf("IPv4", "IPv6")),
    unique<string>((family) => family),
  ),
  ipFamilyPolicy: oneOf("SingleStack", "PreferDualStack", "RequireDualStack"),
});

export const clusterAddresses: SpecRule = all(firstOfTheList, addresses, families);

/** Makes allocated addresses immutable. A change of the type, or the release of the second address, is allowed. */
export function addressesStay(next: coreV1.ServiceSpec, old: coreV1.ServiceSpec, at: Place, report: Report): void {
  if (next.type === "ExternalName" || old.type === "ExternalName") return;
  const isReleasable = next.ipFamilyPolicy === "SingleStack";
  const release = at.field("ipFamilyPolicy");
  const bothHeadless = isHeadless(next) && isHeadless(old);
  for (const { field, what } of KEPT) {
    const before = field === "clusterIPs" ? addressesOf(old) : (old[field] ?? []);
    const after = next[field] ?? [];
    const place = at.field(field);
    if (before.length === 0) continue;
    if (after.length === 0) {
      report.invalid(place.item(0), null, `primary ${what} can not be unset`);
      continue;
    }
    if (bothHeadless) continue;
    for (let position = 0; position < Math.min(after.length, before.length); position += 1) {
      if (field === "ipFamilies" && !isFamily(after[position], report)) continue;
      if (after[position] !== before[position]) report.invalid(place.item(position), after, "may not change once set");
    }
    if (before.length === 2 && after.length === 1 && !isReleasable) {
      report.invalid(
        release,
        next.ipFamilyPolicy ?? null,
        `must be set to 'SingleStack' when releasing the secondary ${what}`,
      );
    }
  }
}

/** Returns false for an unknown family, of which exact errors say nothing else. */
const isFamily = (family: string | undefined, report: Report): boolean =>
  !isExact(report) || family === undefined || family === "IPv4" || family === "IPv6";

const KEPT = [
  { field: "clusterIPs", what: "clusterIP" },
  { field: "ipFamilies", what: "ipFamily" },
] as const;
