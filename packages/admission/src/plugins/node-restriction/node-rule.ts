import type { AdmissionRequest } from "@orch/machinery";

/** What is wrong with a request of that node's agent, as a text; undefined where nothing is. May throw what a look-up says. */
export type NodeRule = (request: AdmissionRequest, node: string) => Problem | Promise<Problem>;
export type Problem = string | undefined;

/** As messages have names. */
export const said = (text: string): string => JSON.stringify(text);
