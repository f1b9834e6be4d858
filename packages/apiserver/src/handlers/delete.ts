import { type DeleteOptions, deletedStatus } from "@orch/machinery";
import type { DeleteResult } from "@orch/registry";
import { statusForm } from "@orch/request";
import { requireAllowed } from "../pipeline/authorization";
import { readDeleteOptions } from "./delete-request";
import { answerEntry } from "./entry-answer";
import type { ResourceRequest, WriteDeps } from "./handler";
import { inForce } from "./in-force";
import { answerObject } from "./object-answer";
import { boundWrite, writeContext } from "./write-context";

export async function deleteObject(deps: WriteDeps, asked: ResourceRequest): Promise<void> {
  const { request, response, info } = asked;
  const { route, key } = info;
  const form = deps.forms.for(asked, "object");
  boundWrite(asked);
  const asks = readDeleteOptions(deps, asked);
  if (asks.ignoresReadError) await requireUnsafe(deps, asked);
  const options = { ...asks, unreadable: unreadableBy(deps, asks) };
  const result = await route.storage.delete(key, options, writeContext(asked, options));
  const { entry, removed } = result;
  const late = inForce(deps, asked, entry);
  if (late !== undefined) await late;
  if (removed && !route.definition.deleteReturnsObject) {
    const { contentType, bytes } = statusForm(request);
    const status = deletedStatus(detailsOf(asked, result));
    request.context.success = status;
    return answerObject(response, 200, contentType, bytes(status));
  }
  const { propagation } = options;
  // Only clients of the deprecated orphanDependents option get the status code for waiting on dependents.
  const waits = !removed && propagation.kind === "orphanDependents" && !propagation.orphan;
  return answerEntry(asked, waits ? 202 : 200, form, entry);
}

/**
 * Requires the permission for a deletion that ignores what is stored. Source:
 * staging/src/k8s.io/apiserver/pkg/endpoints/handlers/delete.go. @throws StatusError Forbidden (403)
 */
async function requireUnsafe({ authorizer, vocabulary }: WriteDeps, { request }: ResourceRequest): Promise<void> {
  request.context.annotate(vocabulary.auditAnnotations.unsafeDelete, "");
  await requireAllowed(authorizer, request, "unsafe-delete-ignore-read-errors");
}

/** With the gate, the deletion of an unreadable object must be asked for, as in kube-apiserver. */
function unreadableBy({ gates }: WriteDeps, { ignoresReadError }: DeleteOptions): "deleted" | "only" | "refused" {
  if (!gates.AllowUnsafeMalformedObjectDeletion) return "deleted";
  return ignoresReadError ? "only" : "refused";
}

function detailsOf({ info: { route, key } }: ResourceRequest, { entry }: DeleteResult) {
  const uid = entry.metadata("uid") as string | undefined;
  return {
    name: key.name,
    group: route.version.group,
    kind: route.definition.plural,
    ...(uid === undefined ? {} : { uid }),
  };
}
