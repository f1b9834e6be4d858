// Networks of the engine: ranges that the machine does not use, and the packet filter as it was before.
import { readFileSync } from "node:fs";
import { run } from "./run.mjs";

/** Second octets of 172.x.0.0/16, private addresses by RFC 1918. */
const CANDIDATES = [29, 30, 31, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16];
const TABLES = ["filter", "nat"];
/** Chains that Docker makes, and ranges of its own. */
const MADE = /DOCKER|-[so] 172\.\d+\.(77|1[2-9]\d|2\d\d)\.|docker0|br-[0-9a-f]{12}/;

/** @returns `{ bridge, pool }`: address of the default bridge, and the range of other networks */
export function freeNetwork() {
  const routes = readFileSync("/proc/net/route", "latin1").split("\n").slice(1);
  const used = new Set(routes.map((line) => addressOf(line.split("\t")[1] ?? "")));
  const free = CANDIDATES.find((octet) => ![...used].some((address) => address.startsWith(`172.${octet}.`)));
  if (free === undefined) throw new Error("all networks of 172.16.0.0/12 are in use on this machine");
  return { bridge: `172.${free}.77.1/24`, pool: `172.${free}.128.0/17` };
}

/** @param hexadecimal address of /proc/net/route, in the byte order of the machine */
const addressOf = (hexadecimal) =>
  (hexadecimal.match(/../g) ?? [])
    .reverse()
    .map((byte) => Number.parseInt(byte, 16))
    .join(".");

/** @returns what Docker changes for the whole machine: the policy of forwarding, and whether packets are forwarded */
export function networkState(env) {
  const policy = /^:FORWARD (\w+)/m.exec(run("iptables-save", ["-t", "filter"], { env }).output)?.[1] ?? "ACCEPT";
  return { policy };
}

/** Removes the rules and chains of Docker, which it leaves behind. */
export function restoreNetwork(env, { policy }) {
  for (const table of TABLES) {
    const lines = run("iptables-save", ["-t", table], { env }).output.split("\n");
    const chains = lines.flatMap((line) => /^:(DOCKER\S*)/.exec(line)?.[1] ?? []);
    for (const line of lines.filter((each) => each.startsWith("-A ") && MADE.test(each))) {
      run("iptables", ["-t", table, "-D", ...line.slice(3).split(" ")], { env });
    }
    for (const chain of chains) run("iptables", ["-t", table, "-F", chain], { env });
    for (const chain of chains) run("iptables", ["-t", table, "-X", chain], { env });
  }
  run("iptables", ["-P", "FORWARD", policy], { env });
}
