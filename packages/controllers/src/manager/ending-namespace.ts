import { isCode } from "@orch/machinery";

/**
 * Returns whether a write was rejected because the namespace is terminating. Source: Kubernetes API, status cause
 * `NamespaceTerminating`.
 */
export const isOfEndingNamespace = (error: unknown): boolean =>
  isCode(error, 403) && error.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") === true;
