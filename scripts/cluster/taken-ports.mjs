// Finds ports that are in use before any process is started. A process that cannot listen would only exit repeatedly.
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * @param processes result of planFleet
 * @returns one line for each port at which a process cannot listen
 */
export async function takenPorts(processes, host) {
  const problems = [];
  for (const { name, ports } of processes) {
    for (const port of ports) {
      const error = await listenError(port, host);
      if (error === undefined) continue;
      const why = error.code === "EADDRINUSE" ? "another program has it" : error.message;
      problems.push(`${name} cannot listen at ${host}:${port}: ${why}`);
    }
  }
  return problems;
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
