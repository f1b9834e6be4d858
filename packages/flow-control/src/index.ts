// API priority and fairness: flow schemas, priority levels and the queues that decide which requests start.

export { DanglingConditions } from "./control/dangling-conditions";
export { fairnessPages } from "./control/debug-pages";
export { FairnessControl, type FairnessOptions } from "./control/fairness-control";
export { FlowControlObjects } from "./control/flow-control-objects";
export type { InFlightControl, ReleaseSeat } from "./control/in-flight-control";
