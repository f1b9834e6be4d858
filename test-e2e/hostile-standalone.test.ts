// The most expensive single requests to a server that shares its process with the controllers: it continues to serve
// others meanwhile.
import { HOSTILE_PODS } from "./harness/hostile/admitted-bodies";
import { HOSTILE_INPUTS } from "./harness/hostile/bodies";
import { HOSTILE_CUSTOM_INPUTS } from "./harness/hostile/custom-bodies";
import { HOSTILE_GROWTH } from "./harness/hostile/grown-bodies";
import { HOSTILE_STATES } from "./harness/hostile/kept-states";
import { HOSTILE_QUESTIONS } from "./harness/hostile/list-questions";
import { HOSTILE_WRITERS } from "./harness/hostile/many-writers";
import { HOSTILE_RATCHETING } from "./harness/hostile/ratcheted-bodies";
import { testHostileInputs } from "./harness/hostile/suite";
import { HOSTILE_EVENTS } from "./harness/hostile/watched-bodies";

testHostileInputs({
  program: "orch-standalone",
  // Dry runs do not reach the controllers.
  inputs: [
    ...HOSTILE_EVENTS,
    ...HOSTILE_WRITERS,
    ...HOSTILE_RATCHETING,
    ...[
      ...HOSTILE_INPUTS,
      ...HOSTILE_PODS,
      ...HOSTILE_CUSTOM_INPUTS,
      ...HOSTILE_GROWTH,
      ...HOSTILE_QUESTIONS,
      ...HOSTILE_STATES,
    ].filter(({ before }) => before !== undefined),
  ],
});
