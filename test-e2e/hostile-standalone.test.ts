// The worst that one request can bring to the server whose process the controllers share: it goes on serving everybody else meanwhile.
import { HOSTILE_PODS } from "./harness/hostile/admitted-bodies";
import { HOSTILE_INPUTS } from "./harness/hostile/bodies";
import { HOSTILE_CUSTOM_INPUTS } from "./harness/hostile/custom-bodies";
import { HOSTILE_GROWTH } from "./harness/hostile/grown-bodies";
import { HOSTILE_WRITERS } from "./harness/hostile/many-writers";
import { testHostileInputs } from "./harness/hostile/suite";
import { HOSTILE_EVENTS } from "./harness/hostile/watched-bodies";

testHostileInputs({
  program: "orch-standalone",
  // Of dry runs the controllers hear nothing.
  inputs: [
    ...HOSTILE_EVENTS,
    ...HOSTILE_WRITERS,
    ...[...HOSTILE_INPUTS, ...HOSTILE_PODS, ...HOSTILE_CUSTOM_INPUTS, ...HOSTILE_GROWTH].filter(
      ({ before }) => before !== undefined,
    ),
  ],
});
