import type { AdmissionRequest } from "@orch/machinery";

/** The premises of a write and the accounts that it is charged to, as set by admission. */
export type WriteTerms = Pick<AdmissionRequest, "premises" | "charges">;

export const NO_TERMS: WriteTerms = { premises: [], charges: [] };
