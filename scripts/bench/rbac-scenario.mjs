// Cost of RBAC for an ordinary user with few and with many role bindings: two servers, measured in turns. One binding
// grants the requested access; the others grant the user's group access to other resources.
import { vocabularyOf } from "@orch/schema";
import { inTurns } from "./in-turns.mjs";
import { NAMESPACE } from "./objects.mjs";

const OBJECTS = 1000;
const FEW = { roles: 10, bindings: 10 };
const MANY = { roles: 2000, bindings: 10_000 };
const USER = { name: "worker", organizations: ["devs"] };
const GROUP = vocabularyOf("orch").groups.rbac;
const RBAC = `/apis/${GROUP}/v1`;

/** @param allowed whether the user is allowed to make the request */
export const rbacScenario = ({ allowed }) => ({
  fresh: true,
  async run(bench) {
    const many = await bench.startServer([]);
    const servers = [bench.server, many];
    for (const [at, server] of servers.entries()) {
      const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
      await bench.fetchFrom(server, "/api/v1/namespaces", { method: "POST", body: JSON.stringify(namespace) });
      await bench.load("fill", { target: server.target, namespace: NAMESPACE, from: 0, to: OBJECTS });
      await bench.load("post", { target: server.target, requests: policy(at === 0 ? FEW : MANY) });
    }
    const query = "?resourceVersion=0";
    const make = allowed ? { objects: OBJECTS, query } : { objects: OBJECTS, query, plural: "pods" };
    const order = {
      maker: "getEach",
      make,
      status: allowed ? 200 : 403,
      concurrency: bench.concurrency,
      warmupMs: 1000,
      durationMs: 3000,
    };
    const figures = await inTurns(bench, servers, (server) => ({ ...order, target: bench.targetAs(server, USER) }));
    await bench.stop(many);
    const { with: most, without: few, more } = figures;
    return {
      ours: figures.last,
      notes: [
        `${most.toFixed(1)} µs of CPU a request with ${MANY.bindings} bindings, ${few.toFixed(1)} with ${FEW.bindings}: ${more.toFixed(1)} µs more`,
      ],
    };
  },
});

function policy({ roles, bindings }) {
  const role = (name, rules) => ({ path: `${RBAC}/clusterroles`, body: { metadata: { name }, rules } });
  const bound = (name, to, subject) => ({
    path: `${RBAC}/clusterrolebindings`,
    body: {
      metadata: { name },
      roleRef: { apiGroup: GROUP, kind: "ClusterRole", name: to },
      subjects: [{ apiGroup: GROUP, ...subject }],
    },
  });
  const verbs = ["get", "list", "watch"];
  const others = Array.from({ length: roles }, (_, at) =>
    role(`other-${at}`, [{ verbs, apiGroups: ["example.com"], resources: [`things-${at}`, `parts-${at}`] }]),
  );
  const group = { kind: "Group", name: USER.organizations[0] };
  return [
    role("reader", [{ verbs, apiGroups: [""], resources: ["configmaps"] }]),
    ...others,
    ...Array.from({ length: bindings - 1 }, (_, at) => bound(`other-${at}`, `other-${at % roles}`, group)),
    bound("reader", "reader", { kind: "User", name: USER.name }),
  ];
}
