// Options that bound concurrent work. Source: Kubernetes documentation, "kube-apiserver".
import { type FlagTable, section } from "@orch/machinery";

export const OVERLOAD_FLAGS = section("Overload", {
  "enable-priority-and-fairness": {
    type: "bool",
    default: "true",
    help: "shares what is worked on at once among flows of requests by FlowSchema and PriorityLevelConfiguration objects; false: the two limits apply, each by itself; releases before 1.20 do so in any case",
  },
  "max-mutating-requests-inflight": {
    type: "int",
    default: "200",
    min: 0,
    help: "mutating requests worked on at once; one user has at most four for each that is free, all without credentials together a ninth of one; 0: no limit; with priority and fairness, added to --max-requests-inflight and shared out",
  },
  "max-requests-inflight": {
    type: "int",
    default: "400",
    min: 0,
    help: "reading requests worked on at once; shared in the same way; 0: no limit",
  },
}) satisfies FlagTable;
