import { isCode } from "@orch/machinery";

/** Refused, for the namespace takes nothing new any more. Source: facts, errors.json. */
export const isOfEndingNamespace = (error: unknown): boolean =>
  isCode(error, 403) && error.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") === true;
