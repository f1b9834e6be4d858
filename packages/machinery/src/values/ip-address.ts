// Texts of addresses. Source: facts, validation/_common.md "Formats".
import { isIPv4, isIPv6 } from "node:net";

export type AddressFamily = "IPv4" | "IPv6";

/** IPv4 parts may start with zeros, which count for nothing. */
export const plainAddress = (text: string): string =>
  text.includes(":") ? text : text.replace(/(^|\.)0+(?=\d)/g, "$1");

/** @returns undefined for what is no address; one with a zone (`fe80::1%eth0`) says something only on one machine, and is none */
export function familyOf(text: string): AddressFamily | undefined {
  if (isIPv4(plainAddress(text))) return "IPv4";
  return isIPv6(text) && !text.includes("%") ? "IPv6" : undefined;
}
