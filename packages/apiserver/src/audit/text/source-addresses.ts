// Where a request says it comes from, and where it does. Source: facts, http.md "Audit", sourceIPs.
import { isIP } from "node:net";
import type { AuditedRequest } from "../audit-event";

export function sourceAddresses({ headers, address }: AuditedRequest): readonly string[] {
  const forwarded = headers["x-forwarded-for"];
  const real = headers["x-real-ip"];
  const own = plain(address);
  if (forwarded === undefined && real === undefined) return own === "" ? NONE : [own];
  const said = [forwarded, real].flat().flatMap((text) => (text ?? "").split(","));
  return [...new Set([...said.map((text) => plain(text.trim())).filter((text) => isIP(text) !== 0), own])].filter(
    (text) => text !== "",
  );
}

const NONE: readonly string[] = [];

/** Addresses of IPv4 come over sockets of IPv6 too. */
const plain = (address: string): string => (address.startsWith("::ffff:") ? address.slice(7) : address);
