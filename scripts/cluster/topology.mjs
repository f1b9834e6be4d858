// The members of the fleet: those of a topology file, changed by the options of `make cluster`.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

export const MEMBERS_MAX = 5;
/** Distance between the ports of two members of one kind. */
const PORT_STEP = 10_000;
const PORT_MAX = 65_535;

/**
 * @param topology content of deploy/topology.json or a file of this form
 * @param servers number of API servers; undefined: those of the file
 * @param etcd number of etcd members; undefined: those of the file
 * @param prometheus whether Prometheus runs
 * @param firstPort port of the first process, with the next ones for the others; undefined: the ports of the file
 * @throws Error for a port that is out of range or used twice
 */
export function chosenTopology(topology, { servers, etcd, prometheus, firstPort }) {
  const { prometheus: configured = { name: "prometheus", port: 9090 }, ...others } = topology;
  const chosen = {
    ...others,
    etcd: resized(topology.etcd, etcd, ["clientPort", "peerPort"]),
    apiServers: resized(topology.apiServers, servers, ["port"]),
    ...(prometheus && { prometheus: configured }),
  };
  const numbered = firstPort === undefined ? chosen : renumbered(chosen, firstPort);
  const places = portPlaces(numbered);
  for (const [at, { place, port }] of places.entries()) {
    if (!Number.isInteger(port) || port < 1 || port > PORT_MAX)
      throw new Error(`${place} is ${port}: a port is a number from 1 to ${PORT_MAX}`);
    const other = places.slice(0, at).find((earlier) => earlier.port === port);
    if (other !== undefined) throw new Error(`${other.place} and ${place} are both ${port}: each port is used once`);
  }
  return numbered;
}

/** Returns each port with its place in the topology, such as `apiServers[0].port`. */
export function portPlaces(topology) {
  const inMember = (member, prefix) =>
    Object.entries(member)
      .filter(([key]) => isPort(key))
      .map(([key, port]) => ({ place: `${prefix}.${key}`, port }));
  return Object.entries(topology).flatMap(([key, value]) => {
    if (Array.isArray(value)) return value.flatMap((member, at) => inMember(member, `${key}[${at}]`));
    return typeof value === "object" ? inMember(value, key) : [];
  });
}

/**
 * Members of an etcd cluster are fixed by its data: another number of them would find no majority, or start empty.
 * @returns what is wrong, or undefined
 */
export function membersProblem(topology, directory) {
  if (!existsSync(directory)) return undefined;
  const holds = (name) => existsSync(join(directory, name, "member"));
  const existing = readdirSync(directory).filter(holds).sort();
  const planned = topology.etcd.map(({ name }) => name).sort();
  if (existing.length === 0 || existing.join() === planned.join()) return undefined;
  return (
    `${directory} has the data of the etcd members ${existing.join(", ")}, and not of ${planned.join(", ")}. ` +
    `Pass --etcd ${existing.length}, another --directory, or remove that folder`
  );
}

/** Returns the first `count` members, or all of them and further ones like the last. */
function resized(members, count = members.length, ports) {
  const last = members.at(-1);
  return Array.from({ length: count }, (_, at) => {
    const more = at + 1 - members.length;
    if (more <= 0) return members[at];
    const moved = ports.map((port) => [port, last[port] + more * PORT_STEP]);
    return { name: last.name.replace(/\d+$/, `${at + 1}`), ...Object.fromEntries(moved) };
  });
}

function renumbered(topology, firstPort) {
  let next = firstPort;
  const renumber = (member) =>
    Object.fromEntries(Object.entries(member).map(([key, value]) => [key, isPort(key) ? next++ : value]));
  return Object.fromEntries(
    Object.entries(topology).map(([key, value]) => {
      if (Array.isArray(value)) return [key, value.map(renumber)];
      return [key, typeof value === "object" ? renumber(value) : value];
    }),
  );
}

const isPort = (key) => /port$/i.test(key);
