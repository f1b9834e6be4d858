// IP families of a service: makes policy, families and requested addresses consistent. Source:
// pkg/registry/core/service/storage/alloc.go, `initIPFamilyFields`.

import { type AddressFamily, type FieldError, familyOf, field } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";
import { isHeadless } from "./service-kinds";
import type { ServiceRanges } from "./service-ranges";

type Spec = { -readonly [Field in keyof coreV1.ServiceSpec]?: coreV1.ServiceSpec[Field] | undefined };

/** Makes policy, families and requested addresses consistent. @returns errors of what does not fit the ranges */
export function settleFamilies(
  spec: Spec,
  old: Spec | undefined,
  ranges: ServiceRanges["addresses"],
): readonly FieldError[] {
  const named = (spec.clusterIPs ?? []).filter((address) => address !== "None");
  const families = [...(spec.ipFamilies ?? [])] as AddressFamily[];
  named.forEach((address, position) => {
    families[position] ??= familyOf(address) ?? ranges[0].family;
  });
  const errors = familyErrors(spec, old, { families, named, ranges });
  if (errors.length > 0) return errors;
  const [first, second] = ranges;
  // A headless service without a selector may have endpoints of any family.
  const anyFamily = isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??=
    families.length > 1 || (anyFamily && second !== undefined) ? "RequireDualStack" : "SingleStack";
  if (families.length === 0) families.push(first.family);
  const other = ranges.find((each) => each !== undefined && each.family !== families[0]);
  if (spec.ipFamilyPolicy !== "SingleStack" && families.length === 1 && other !== undefined)
    families.push(other.family);
  if (spec.ipFamilyPolicy === "SingleStack") families.length = 1;
  spec.ipFamilies = families;
  if (spec.ipFamilyPolicy === "SingleStack" && (spec.clusterIPs ?? []).length > 1) {
    spec.clusterIPs = (spec.clusterIPs ?? []).slice(0, 1);
  }
  return [];
}

function familyErrors(
  { ipFamilyPolicy: policy, ipFamilies = [] }: Spec,
  old: Spec | undefined,
  {
    families,
    named,
    ranges,
  }: {
    readonly families: readonly AddressFamily[];
    readonly named: readonly string[];
    readonly ranges: ServiceRanges["addresses"];
  },
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const configured = ranges.flatMap((each) => each?.family ?? []);
  const known = [...configured, ...(old?.ipFamilies ?? [])];
  const isSingle = policy === "SingleStack";
  const pairs = [
    ["clusterIPs", named.length],
    ["ipFamilies", ipFamilies.length],
  ] as const;
  for (const [what, count] of pairs) {
    if (count > 1 && isSingle) {
      const text = `must be RequireDualStack or PreferDualStack when multiple '${what}' are specified`;
      errors.push(field.invalid("spec.ipFamilyPolicy", policy, text));
    }
  }
  if (policy === "RequireDualStack" && policy !== old?.ipFamilyPolicy && configured.length < 2) {
    const text = "Cluster is not configured for dual stack services";
    errors.push(field.invalid("spec.ipFamilyPolicy", policy, text));
  }
  families.forEach((family, position) => {
    if (known.includes(family)) return;
    const isNamed = position < named.length && ipFamilies[position] === undefined;
    errors.push(
      isNamed
        ? field.invalid(
            `spec.clusterIPs[${position}]`,
            named[position],
            `may not use ${family} on a cluster which is not configured for it`,
          )
        : field.invalid(`spec.ipFamilies[${position}]`, family, `ipfamily ${family} is not configured on cluster`),
    );
  });
  return errors;
}
