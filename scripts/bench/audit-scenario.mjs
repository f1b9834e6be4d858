// Cost of an audit log file per request: two servers, with and without the log, measured in turns.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { vocabularyOf } from "@orch/schema";
import { inTurns } from "./in-turns.mjs";
import { NAMESPACE } from "./objects.mjs";

const OBJECTS = 1000;
const folder = fileURLToPath(new URL("../../.orch/bench/audit", import.meta.url));

/** @param rule rule of the policy for every request @param flags flags in addition to those of the file */
export const auditScenario = (rule, flags = []) => ({
  fresh: true,
  async run(bench) {
    mkdirSync(folder, { recursive: true });
    const policy = join(folder, "policy.json");
    const apiVersion = `${vocabularyOf("orch").groups.audit}/v1`;
    writeFileSync(policy, JSON.stringify({ apiVersion, kind: "Policy", rules: [rule] }));
    const file = join(folder, "audit.log");
    const audited = await bench.startServer([
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${file}`,
      "--audit-log-maxbackup=1",
      ...flags,
    ]);
    const servers = [bench.server, audited];
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
    for (const server of servers) {
      await bench.fetchFrom(server, "/api/v1/namespaces", { method: "POST", body: JSON.stringify(namespace) });
      await bench.load("fill", { target: server.target, namespace: NAMESPACE, from: 0, to: OBJECTS });
    }
    const make = { objects: OBJECTS, query: "?resourceVersion=0" };
    const order = { maker: "getEach", make, concurrency: bench.concurrency, warmupMs: 1000, durationMs: 3000 };
    const figures = await inTurns(bench, servers, ({ target }) => ({ ...order, target }));
    await bench.stop(audited);
    const { with: on, without: off, more } = figures;
    return {
      ours: figures.last,
      notes: [`${on.toFixed(1)} µs of CPU a request, ${off.toFixed(1)} without audit: ${more.toFixed(1)} µs more`],
    };
  },
});
