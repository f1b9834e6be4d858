// Definitions that arrive at run time: custom resources and aggregated APIs.
export * from "./rules";
export * from "./structural";
