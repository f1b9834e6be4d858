// Publishes the config map cluster-info, which joining nodes use to find and authenticate the API server. See USAGE.
import { readFileSync } from "node:fs";
import client from "../packages/client/dist/index.js";
import controllers from "../packages/controllers/dist/index.js";
import { isProgram, readCommandLine } from "./command-line.mjs";

const TIMEOUT_MS = 120_000;
const VOCABULARIES = ["orch", "kubernetes"];

/**
 * @param kubeconfig client configuration file of an administrator, with the certificate authority of the API server
 * @param server address at which nodes reach the API server; default: the address in the file
 * @param log receives warnings about failed attempts
 * @throws Error when the timeout expires or the file has no certificate authority
 */
export async function publishClusterInfo({ kubeconfig, server, vocabulary, log }) {
  const connection = client.loadConnection({ path: kubeconfig, vocabulary });
  const { ca } = connection.tls;
  if (ca === undefined) throw new Error(`${kubeconfig} names no authority of the API server`);
  const operator = new client.Client({ connection, vocabulary, program: "cluster-info-publisher", log });
  const authority = ca.kind === "text" ? ca.text : readFileSync(ca.path, "utf8");
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    await controllers.publishClusterInfo(operator, { server: server ?? connection.server, authority }, timeout);
  } finally {
    operator.close();
  }
  if (timeout.aborted) throw new Error(`cluster-info could not be published in ${TIMEOUT_MS / 1000} s`);
}

const USAGE = `Publishes the address and the CA of the API server for joining nodes, in the config map cluster-info of the public namespace, which
all users may read. A config map that exists is not changed.

Usage: node scripts/publish-cluster-info.mjs --kubeconfig FILE [options]

  --kubeconfig FILE   client configuration file of an administrator, with the CA of the API server
  --server URL        address at which nodes reach the API server (default: the address in the file)
  --vocabulary NAME   orch or kubernetes (default orch)
  --help              print this text`;

if (isProgram(import.meta.url)) {
  const { values } = readCommandLine(USAGE, {
    options: {
      kubeconfig: { type: "string" },
      server: { type: "string" },
      vocabulary: { type: "string", default: "orch" },
    },
    check: ({ values }) => {
      if (values.kubeconfig === undefined) return "--kubeconfig is needed";
      return VOCABULARIES.includes(values.vocabulary) ? undefined : `--vocabulary: none of ${VOCABULARIES.join(", ")}`;
    },
  });
  const log = ["info", "warn", "error"].map((level) => [level, (text, of = {}) => console.error(text, of)]);
  try {
    await publishClusterInfo({ ...values, log: Object.fromEntries(log) });
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
  }
}
