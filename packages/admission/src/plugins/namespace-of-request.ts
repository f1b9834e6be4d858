// The namespace that a request's object is in, or is to be in.
import { type AdmissionRequest, notFound } from "@orch/machinery";
import type { NamespaceState } from "../world";

export const NAMESPACES = { group: "", resource: "namespaces" } as const;

/** Whether it is about a namespace itself, or a part of one. */
export function isNamespace({ definition }: AdmissionRequest): boolean {
  return definition.group === "" && definition.plural === "namespaces";
}

/** @throws StatusError NotFound (404) */
export function existing({ namespace }: AdmissionRequest, state: NamespaceState | undefined): NamespaceState {
  if (state === undefined) throw notFound(NAMESPACES, namespace);
  return state;
}
