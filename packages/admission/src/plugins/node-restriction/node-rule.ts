import type { AdmissionRequest } from "@orch/machinery";

/**
 * Checks a request of the node's kubelet. @returns the problem; undefined when the request is allowed. May throw the
 * error of a lookup.
 */
export type NodeRule = (request: AdmissionRequest, node: string) => Problem | Promise<Problem>;
export type Problem = string | undefined;

/** Quotes a name for messages. */
export const said = (text: string): string => JSON.stringify(text);
