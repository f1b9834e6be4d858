// Options that bound concurrent work. Source: Kubernetes documentation, "kube-apiserver".
import { type FlagTable, section } from "@orch/machinery";

export const OVERLOAD_FLAGS = section("Overload", {
  "enable-priority-and-fairness": {
    type: "bool",
    default: "true",
    help: "shares the concurrency limit among flows of requests by FlowSchema and PriorityLevelConfiguration objects; false: only the two limits apply, each by itself, as always in releases before 1.20",
  },
  "max-mutating-requests-inflight": {
    type: "int",
    default: "200",
    min: 0,
    help: "maximum number of concurrent mutating requests; one user may use at most four for each that is free, all anonymous requests together a ninth of one; 0: no limit; with priority and fairness, the sum with --max-requests-inflight is shared",
  },
  "max-requests-inflight": {
    type: "int",
    default: "400",
    min: 0,
    help: "maximum number of concurrent read-only requests; limited per user in the same way; 0: no limit",
  },
}) satisfies FlagTable;
