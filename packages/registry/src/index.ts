export type { ReadSemantics } from "./read-semantics";
export type * from "./registry";
