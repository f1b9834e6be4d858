// A server that is there already, to be measured beside this one: any of the same API.
//   AGAINST  its address, `https://host:port`
//   TOKEN    of a user who may do everything
//   CA       a file of its authorities in PEM; without it the server is not verified
import { readFileSync } from "node:fs";
import { processOn } from "./process-figures.mjs";

const LOCAL = ["127.0.0.1", "localhost", "[::1]"];

/** @returns what a load needs of it; undefined where none is named. `pid` only of this machine's, whose processor time can be told */
export function otherServer({ AGAINST, TOKEN, CA }) {
  if (AGAINST === undefined || AGAINST === "") return undefined;
  const { hostname, port, protocol } = new URL(AGAINST);
  if (protocol !== "https:") throw new Error(`AGAINST is to begin with https://: ${AGAINST}`);
  const number = Number(port || 443);
  const ca = CA === undefined || CA === "" ? undefined : readFileSync(CA, "utf8");
  const target = { host: hostname, port: number, ca, token: TOKEN };
  return { name: `${hostname}:${number}`, target, pid: LOCAL.includes(hostname) ? processOn(number) : undefined };
}
