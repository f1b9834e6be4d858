// The most expensive single requests: the server continues to serve others meanwhile. Those that store objects are sent
// to the server that also runs the controllers, in hostile-standalone.test.ts.
import { HOSTILE_PODS } from "./harness/hostile/admitted-bodies";
import { HOSTILE_AUDIT_READS } from "./harness/hostile/audit-log";
import { HOSTILE_INPUTS } from "./harness/hostile/bodies";
import { HOSTILE_CUSTOM_INPUTS } from "./harness/hostile/custom-bodies";
import { HOSTILE_GROWTH } from "./harness/hostile/grown-bodies";
import { HOSTILE_STATES } from "./harness/hostile/kept-states";
import { HOSTILE_QUESTIONS } from "./harness/hostile/list-questions";
import { testHostileInputs } from "./harness/hostile/suite";

testHostileInputs({
  program: "orch-apiserver",
  inputs: [
    ...HOSTILE_INPUTS,
    ...HOSTILE_PODS,
    ...HOSTILE_CUSTOM_INPUTS,
    ...HOSTILE_GROWTH,
    ...HOSTILE_QUESTIONS,
    ...HOSTILE_AUDIT_READS,
    ...HOSTILE_STATES,
  ].filter(({ before }) => before === undefined),
});
