// A running server of the same API that is measured in comparison.
//   AGAINST  address, `https://host:port`
//   TOKEN    bearer token of a user with full rights
//   CA       PEM file of the trusted authorities; without it the server is not verified
import { readFileSync } from "node:fs";
import { processOn } from "./process-figures.mjs";

const LOCAL = ["127.0.0.1", "localhost", "[::1]"];

/**
 * @returns the target for a load; undefined when no server is named. `pid` is set only for a process of this machine,
 * whose processor time can be read
 */
export function otherServer({ AGAINST, TOKEN, CA }) {
  if (AGAINST === undefined || AGAINST === "") return undefined;
  const { hostname, port, protocol } = new URL(AGAINST);
  if (protocol !== "https:") throw new Error(`AGAINST is to begin with https://: ${AGAINST}`);
  const number = Number(port || 443);
  const ca = CA === undefined || CA === "" ? undefined : readFileSync(CA, "utf8");
  const target = { host: hostname, port: number, ca, token: TOKEN };
  return { name: `${hostname}:${number}`, target, pid: LOCAL.includes(hostname) ? processOn(number) : undefined };
}
