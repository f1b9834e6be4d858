import type { AdmissionRequest } from "@orch/machinery";

/** On what a write rests, and what it is charged for, as admission has it. */
export type WriteTerms = Pick<AdmissionRequest, "premises" | "charges">;

export const NO_TERMS: WriteTerms = { premises: [], charges: [] };
