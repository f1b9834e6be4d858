// Warnings about addresses. Sources: RFC 5952; KEP-4858, "IP/CIDR validation improvements".
import { canonicalAddress, familyOf, isMappedAddress } from "@orch/machinery";
import type { JsonValue } from "@orch/schema";
import type { WarningList } from "../model/warning-list";

/** Adds a warning about an address that is not in canonical form. */
export function warnOfAddress(address: JsonValue | undefined, at: string, list: WarningList): void {
  if (typeof address !== "string" || familyOf(address) === undefined) return;
  const canonical = canonicalAddress(address);
  if (isMappedAddress(address) || (!address.includes(":") && canonical !== address)) {
    const plain = canonical.replace(/^::ffff:(?=.*\.)/, "");
    list.add(at, `non-standard IP address ${JSON.stringify(address)} is invalid: use ${JSON.stringify(plain)}`);
  } else if (canonical !== address) {
    list.add(
      at,
      `IPv6 address ${JSON.stringify(address)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
    );
  }
}
