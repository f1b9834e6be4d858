// Warnings about addresses. Sources: RFC 5952; KEP-4858, "IP/CIDR validation improvements".
import { addressNumber, addressText, canonicalAddress, familyOf, isMappedAddress } from "@orch/machinery";
import type { JsonValue } from "@orch/schema";
import type { WarningList } from "../model/warning-list";
import { parseCidr } from "./address-rules";

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

/** Adds warnings about a CIDR that is not in canonical form. */
export function warnOfRange(range: JsonValue | undefined, at: string, list: WarningList): void {
  const parsed = typeof range === "string" ? parseCidr(range) : undefined;
  if (parsed === undefined) return;
  const { address, family, prefixLength } = parsed;
  const bits = family === "IPv4" ? 32 : 128;
  const rest = BigInt(bits - prefixLength);
  const number = addressNumber(address);
  const network = `${addressText((number >> rest) << rest, family)}/${prefixLength}`;
  const [shown, canonical] = [JSON.stringify(range), `${canonicalAddress(address)}/${prefixLength}`];
  const isAmbiguous = (number >> rest) << rest !== number;
  if (isAmbiguous) {
    const single = JSON.stringify(`${canonicalAddress(address)}/${bits}`);
    list.add(
      at,
      `CIDR value ${shown} is ambiguous in this context (should be ${JSON.stringify(network)} or ${single}?)`,
    );
  }
  if (isMappedAddress(address) || (family === "IPv4" && canonical !== range)) {
    list.add(at, `non-standard CIDR value ${shown} is invalid: use ${JSON.stringify(network)}`);
  } else if (!isAmbiguous && canonical !== range) {
    list.add(at, `IPv6 CIDR value ${shown} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`);
  }
}
