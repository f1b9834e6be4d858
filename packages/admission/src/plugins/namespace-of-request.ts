// Namespace of the object of a request.
import { type AdmissionRequest, notFound } from "@orch/machinery";
import type { NamespaceState } from "../world";

export const NAMESPACES = { group: "", resource: "namespaces" } as const;

/** Returns whether the request is about a namespace or one of its subresources. */
export function isNamespace({ definition }: AdmissionRequest): boolean {
  return definition.group === "" && definition.plural === "namespaces";
}

/** @throws StatusError NotFound (404) */
export function existing({ namespace }: AdmissionRequest, state: NamespaceState | undefined): NamespaceState {
  if (state === undefined) throw notFound(NAMESPACES, namespace);
  return state;
}
