// Validation of priority level configurations. Source: pkg/apis/flowcontrol/validation/validation.go.

import { absentAs, all, fields, isExact, nonNegative, positive, type Rule, rangeOf, validator } from "@orch/apis-model";
import type { flowcontrolV1 } from "@orch/schema";
import { EXEMPT, isAsMandated } from "./mandatory-specs";

type PriorityLevel = flowcontrolV1.PriorityLevelConfiguration;
type PriorityLevelSpec = flowcontrolV1.PriorityLevelConfigurationSpec;

const QUEUES_MAX = 10_000_000;
/** Maximum entropy that shuffle sharding may draw from one hash, in bits. */
const ENTROPY_BITS_MAX = 60;

const named: Rule<PriorityLevel> = ({ metadata, spec = { type: "" } }, at, report) => {
  const { name = "" } = metadata ?? {};
  if (!isAsMandated(name, spec)) {
    const what = name === EXEMPT ? `spec of '${name}' except the 'spec.exempt' field` : `spec of '${name}'`;
    report.invalid(at.field("spec"), spec, `${what} must equal the fixed value`);
  }
  if ((spec.type === "Exempt") !== (name === EXEMPT)) {
    const detail = `type must be 'Exempt' if and only if name is '${EXEMPT}'`;
    report.invalid(at.field("spec").field("type"), spec.type, detail);
  }
};

/** Refuses the annotation of v1beta3 in other versions. */
const unmarked: Rule<PriorityLevel> = ({ metadata }, at, report) => {
  const mark = report.vocabulary.annotations.flowcontrolV1beta3PreserveZeroConcurrencyShares;
  if (report.features.since("1.29") && metadata?.annotations?.[mark] !== undefined)
    report.forbidden(at.field("metadata").field("annotations"), `annotation '${mark}' is forbidden`);
};

/** Checks the shares under the field name of the version. Since v1beta3 a level may have 0 shares. */
const shares: Rule<flowcontrolV1.LimitedPriorityLevelConfiguration> = ({ nominalConcurrencyShares }, at, report) => {
  const { version } = report.version;
  const isAssured = version === "v1beta1" || version === "v1beta2";
  const rule = isAssured ? positive : nonNegative;
  const value = nominalConcurrencyShares ?? 0;
  rule(value, at.field(isAssured ? "assuredConcurrencyShares" : "nominalConcurrencyShares"), report);
};

/** Rejects an empty discriminator. The declared rules of proto/ reject other unknown values. */
const notEmpty =
  (...values: readonly string[]): Rule<string> =>
  (type, at, report) => {
    if (type === "") report.notSupported(at, type, values);
  };

const PERCENT = rangeOf(0, 100);

/** Checks the seats of an exempt level. Other levels may not have them. */
const exemptShares: Rule<PriorityLevelSpec> = ({ type, exempt }, at, report) => {
  if (type !== "Exempt" || exempt === undefined) return;
  seatsOfExempt(exempt, at.field("exempt"), report);
};

const seatsOfExempt = fields<flowcontrolV1.ExemptPriorityLevelConfiguration>({
  nominalConcurrencyShares: nonNegative,
  lendablePercent: PERCENT,
});

const hands: Rule<flowcontrolV1.QueuingConfiguration> = ({ queues, handSize }, at, report) => {
  const place = at.field("handSize");
  if (handSize > queues) report.invalid(place, handSize, `should not be greater than queues (${queues})`);
  else if (queues > 0 && Math.ceil(Math.log2(queues) * handSize) > ENTROPY_BITS_MAX) {
    report.invalid(
      place,
      handSize,
      `dealing so many of ${queues} queues takes more than ${ENTROPY_BITS_MAX} bits of entropy`,
    );
  }
};

const queuing = all(
  fields<flowcontrolV1.QueuingConfiguration>({
    queueLengthLimit: positive,
    queues: rangeOf(1, QUEUES_MAX),
    handSize: positive,
  }),
  hands,
);

const limited = all<flowcontrolV1.LimitedPriorityLevelConfiguration>(
  shares,
  fields<flowcontrolV1.LimitedPriorityLevelConfiguration>({
    lendablePercent: PERCENT,
    borrowingLimitPercent: nonNegative,
    limitResponse: fields<flowcontrolV1.LimitResponse>({
      type: absentAs<string>("", notEmpty("Queue", "Reject")),
      queuing,
    }),
  }),
);

/** Checks the limits of a level. Exact errors do not include those of a level that may not have limits. */
const limitedLevel: Rule<PriorityLevelSpec> = ({ type, limited: limits }, at, report) => {
  if (limits === undefined || (type !== "Limited" && isExact(report))) return;
  limited(limits, at.field("limited"), report);
};

export const validatePriorityLevel = validator(
  all<PriorityLevel>(
    named,
    unmarked,
    fields<PriorityLevel>({
      spec: all<PriorityLevelSpec>(
        fields<PriorityLevelSpec>({
          type: absentAs<string>("", notEmpty("Exempt", "Limited")),
        }),
        limitedLevel,
        exemptShares,
      ),
    }),
  ),
);
