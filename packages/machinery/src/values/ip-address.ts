// Parses IP addresses.
import { isIPv4, isIPv6 } from "node:net";

export type AddressFamily = "IPv4" | "IPv6";

/** Removes leading zeros from the parts of an IPv4 address, which are ignored. */
export const plainAddress = (text: string): string =>
  text.includes(":") ? text : text.replace(/(^|\.)0+(?=\d)/g, "$1");

/**
 * Returns the family of an address.
 * @returns undefined for an invalid address, and for one with a zone (`fe80::1%eth0`), which is meaningful only on one
 * machine
 */
export function familyOf(text: string): AddressFamily | undefined {
  if (isIPv4(plainAddress(text))) return "IPv4";
  return isIPv6(text) && !text.includes("%") ? "IPv6" : undefined;
}
