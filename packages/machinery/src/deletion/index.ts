export * from "./deletion-rules";
export * from "./deletion-step";
export * from "./dependents-finalizers";
