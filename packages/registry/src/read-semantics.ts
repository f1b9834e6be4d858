export type { ReadSemantics } from "@orch/machinery";
