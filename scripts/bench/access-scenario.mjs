// Cost of authentication and authorization: the same gets by an anonymous user where one rule allows everything, and
// with a client certificate and a cached token under RBAC. The servers are measured in turns.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { vocabularyOf } from "@orch/schema";
import { serverWithAccount, withoutCertificate } from "./account-token.mjs";
import { kindsInTurns } from "./in-turns.mjs";
import { NAMESPACE } from "./objects.mjs";

const { groups } = vocabularyOf("orch");
const OBJECTS = 1000;
const USER = { name: "worker", organizations: ["devs"] };
const ACCOUNT = "bench";
const RBAC = `/apis/${groups.rbac}/v1`;
const folder = fileURLToPath(new URL("../../.orch/bench/access", import.meta.url));

export const accessScenario = {
  fresh: true,
  async run(bench) {
    const open = await bench.startServer(flagsOfOpen());
    const { server, token } = await serverWithAccount(bench, ACCOUNT);
    for (const each of [open, server]) {
      const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
      await bench.fetchFrom(each, "/api/v1/namespaces", { method: "POST", body: JSON.stringify(namespace) });
      await bench.load("fill", { target: each.target, namespace: NAMESPACE, from: 0, to: OBJECTS });
    }
    await bench.load("post", { target: server.target, requests: POLICY });
    const make = { objects: OBJECTS, query: "?resourceVersion=0" };
    const order = { maker: "getEach", make, concurrency: bench.concurrency, warmupMs: 500, durationMs: 2000 };
    const { medians, last } = await kindsInTurns(bench, {
      nobody: () => ({ ...order, target: withoutCertificate(open), serverPid: open.pid }),
      certificate: () => ({ ...order, target: bench.targetAs(server, USER), serverPid: server.pid }),
      token: () => ({
        ...order,
        target: withoutCertificate(server),
        make: { ...make, token },
        serverPid: server.pid,
      }),
    });
    for (const each of [open, server]) await bench.stop(each);
    const { nobody, certificate, token: byToken } = medians;
    return {
      ours: last,
      notes: [
        `${nobody.toFixed(1)} µs of CPU a request of nobody known; ${(certificate - nobody).toFixed(1)} more with a certificate and roles, ${(byToken - nobody).toFixed(1)} with a known token and roles`,
      ],
    };
  },
};

/** Allows anonymous requests with a policy file, because the mode AlwaysAllow excludes anonymous users. */
function flagsOfOpen() {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "policy.jsonl");
  const everything = { apiGroup: "*", resource: "*", namespace: "*", nonResourcePath: "*" };
  const line = (group) =>
    JSON.stringify({
      apiVersion: `${groups.abacAuthorization}/v1beta1`,
      kind: "Policy",
      spec: { group, ...everything },
    });
  writeFileSync(file, ["system:unauthenticated", "system:authenticated"].map(line).join("\n"));
  return ["--authorization-mode=ABAC", `--authorization-policy-file=${file}`];
}

const POLICY = [
  {
    path: `${RBAC}/clusterroles`,
    body: { metadata: { name: "reader" }, rules: [{ verbs: ["get"], apiGroups: [""], resources: ["configmaps"] }] },
  },
  {
    path: `${RBAC}/clusterrolebindings`,
    body: {
      metadata: { name: "reader" },
      roleRef: { apiGroup: groups.rbac, kind: "ClusterRole", name: "reader" },
      subjects: [
        { apiGroup: groups.rbac, kind: "User", name: USER.name },
        { kind: "ServiceAccount", namespace: "default", name: ACCOUNT },
      ],
    },
  },
];
