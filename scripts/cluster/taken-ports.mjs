// Finds ports that are in use before any process is started. A process that cannot listen would only exit repeatedly.
import { once } from "node:events";
import { createServer } from "node:net";
import { portOwner } from "./port-owner.mjs";

/**
 * @param processes result of planFleet
 * @param placeOf returns where the topology sets a port, such as `apiServers[0].port`
 * @returns one line for each port at which a process cannot listen
 */
export async function takenPorts(processes, { host, placeOf }) {
  const problems = [];
  for (const { name, ports } of processes) {
    for (const port of ports) {
      const error = await listenError(port, host);
      if (error !== undefined)
        problems.push(`${name} cannot listen at ${host}:${port} (${placeOf(port)}): ${reason(error, port)}`);
    }
  }
  return problems;
}

function reason(error, port) {
  switch (error.code) {
    case "EADDRINUSE":
      return `${portOwner(port) ?? "another program"} listens there`;
    case "EACCES":
      return "this user may not listen there; ports of 1024 or higher are allowed";
    default:
      return error.message;
  }
}

async function listenError(port, host) {
  const server = createServer();
  try {
    server.listen({ port, host });
    await once(server, "listening");
    return undefined;
  } catch (error) {
    return error;
  } finally {
    server.close();
  }
}
