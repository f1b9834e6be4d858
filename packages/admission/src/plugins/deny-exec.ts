// DenyEscalatingExec and DenyExecOnPrivileged plugins: refuse exec and attach to pods whose containers can reach the
// node. Source: plugin/pkg/admission/exec/admission.go.
import { type AdmissionRequest, notFound, StatusError } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";
import { containersOf, specOf } from "../pods/pod-parts";

/** Checked in this order. */
const SHARED_WITH_THE_NODE = [
  ["hostNetwork", "network"],
  ["hostPID", "pid"],
  ["hostIPC", "ipc"],
] as const;

export const denyEscalatingExec = denyExec("DenyEscalatingExec", { sharing: true });
export const denyExecOnPrivileged = denyExec("DenyExecOnPrivileged", { sharing: false });

/** Defines one of the plugins. @param of.sharing whether to refuse pods that share namespaces of the node, too */
function denyExec(name: string, of: { readonly sharing: boolean }) {
  return definePlugin({
    name,
    reads: ["objects"],
    make: ({ objects }) => ({
      on: [
        {
          operations: ["CONNECT"],
          resources: [
            { group: "", plural: "pods", subresource: "exec" },
            { group: "", plural: "pods", subresource: "attach" },
          ],
        },
      ],
      async validate(request) {
        const { namespace, name } = request;
        const pod = await objects.inStore(PODS, { namespace, name }).catch((error: unknown) => {
          throw error instanceof StatusError ? forbidden(request, error.message) : error;
        });
        if (pod === undefined) throw forbidden(request, notFound(PODS, request.name).message);
        judge(request, specOf(pod) ?? {}, of.sharing);
      },
    }),
  });
}

const PODS = { group: "", resource: "pods" };

function judge(request: AdmissionRequest, spec: JsonObject, sharing: boolean): void {
  const shared = sharing && SHARED_WITH_THE_NODE.find(([field]) => spec[field] === true);
  if (shared) throw forbidden(request, `cannot exec into or attach to a container using host ${shared[1]}`);
  for (const { securityContext } of containersOf(spec, "initContainers", "containers", "ephemeralContainers")) {
    if (!isObject(securityContext) || securityContext["privileged"] !== true) continue;
    throw forbidden(request, "cannot exec into or attach to a privileged container");
  }
}
