// Writes the configuration of HAProxy for any number of API servers: deploy/haproxy/haproxy.cfg with a line per server.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const deployed = fileURLToPath(new URL("../../deploy/haproxy/haproxy.cfg", import.meta.url));
const SERVER_LINE = /^ {2}server apiserver-\d+ .*\n/gm;

/** The address of the server N is in the environment variable APISERVER_N. */
export function writeBalancerConfiguration(path, servers) {
  const lines = Array.from({ length: servers }, (_, at) => `  server apiserver-${at + 1} "\${APISERVER_${at + 1}}"\n`);
  let isWritten = false;
  const text = readFileSync(deployed, "utf8").replace(SERVER_LINE, () => {
    if (isWritten) return "";
    isWritten = true;
    return lines.join("");
  });
  if (!isWritten) throw new Error(`${deployed} has no line "server apiserver-1 …"`);
  writeFileSync(path, text);
}
