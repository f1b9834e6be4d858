// Source addresses of a request: the forwarded ones and the peer. Source:
// staging/src/k8s.io/apimachinery/pkg/util/net/http.go, SourceIPs.
import { isIP } from "node:net";
import type { AuditedRequest } from "../event/audit-event";

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

/** IPv6 sockets show IPv4 addresses as mapped addresses. */
const plain = (address: string): string => (address.startsWith("::ffff:") ? address.slice(7) : address);
