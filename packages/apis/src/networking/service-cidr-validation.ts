// Validation of ServiceCIDRs. Source: pkg/apis/networking/validation/validation.go.

import {
  changes,
  fields,
  type Place,
  parseCidr,
  type Report,
  type Rule,
  required,
  type UpdateRule,
  updateValidator,
  validator,
} from "@orch/apis-model";
import { addressNumber, addressText, isMappedAddress } from "@orch/machinery";
import type { networkingV1 } from "@orch/schema";

type Spec = networkingV1.ServiceCIDRSpec;
type Cidrs = NonNullable<Spec["cidrs"]>;

const CIDRS_MAX = 2;

/** Requires one range, or two of different families. */
const ranges: Rule<Cidrs> = required((cidrs, at, report) => {
  if (cidrs.length > CIDRS_MAX) return report.invalid(at, cidrs, "may only hold up to 2 values");
  cidrs.forEach((text, position) => {
    for (const sentence of canonicalCidrErrors(text)) report.invalid(at.item(position), text, sentence);
  });
  const [first, second] = cidrs.map((text) => parseCidr(text)?.family);
  if (first !== undefined && first === second) {
    report.invalid(
      at,
      cidrs,
      "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64",
    );
  }
}, "at least one CIDR required");

/**
 * Validates the canonical text of a range. Source: staging/src/k8s.io/apimachinery/pkg/util/validation/ip.go,
 * `IsValidCIDR`.
 */
function canonicalCidrErrors(text: string): readonly string[] {
  const block = parseCidr(text);
  if (block === undefined) return ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"];
  const { family, address, prefixLength } = block;
  const given = text.slice(0, text.indexOf("/"));
  if (address !== given || !text.endsWith(`/${prefixLength}`)) {
    return ["must not have leading 0s in IP or prefix length"];
  }
  if (isMappedAddress(given)) return ["must not have an IPv4-mapped IPv6 address"];
  const hostBits = BigInt((family === "IPv4" ? 32 : 128) - prefixLength);
  const number = addressNumber(address);
  if ((number >> hostBits) << hostBits !== number) return ["must not have bits set beyond the prefix length"];
  const canonical = `${addressText(number, family)}/${prefixLength}`;
  return text === canonical ? [] : [`must be in canonical form ("${canonical}")`];
}

const specRules = fields<Spec>({ cidrs: ranges });

export const validateNewServiceCidr = validator<networkingV1.ServiceCIDR>((object, at, report) =>
  specRules(object.spec ?? {}, at.field("spec"), report),
);

/** Allows one change: the addition of a range of the other family. */
const keptRanges: UpdateRule<Spec["cidrs"]> = (next = [], old = [], at, report) => {
  if (old.length === 1 && next.length === 2) {
    keptItem(next, old, 0, at, report);
    return ranges(next, at, report);
  }
  if (next.length !== old.length) return report.immutable(at, next);
  for (let position = 0; position < old.length; position += 1) keptItem(next, old, position, at, report);
};

function keptItem(next: Cidrs, old: Cidrs, position: number, at: Place, report: Report): void {
  if (next[position] !== old[position]) report.immutable(at.item(position), next[position]);
}

export const validateServiceCidrUpdate = updateValidator<networkingV1.ServiceCIDR>(
  changes<networkingV1.ServiceCIDR>({ spec: changes<Spec>({ cidrs: keptRanges }) }),
);
