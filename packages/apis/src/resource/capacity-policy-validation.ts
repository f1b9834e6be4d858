// Rules of the amounts that requests may consume of a device. Source: validateRequestPolicy in
// pkg/apis/resource/validation/validation.go.
import { type Place, quantityOf, type Report, type Rule } from "@orch/apis-model";
import type { resourceV1 } from "@orch/schema";

const VALUES_MAX = 10;
const UNIT_NANOS = 1_000_000_000n;

type Policy = resourceV1.CapacityRequestPolicy;
type Capacity = resourceV1.DeviceCapacity;

const amount = (text: string): bigint => quantityOf(text).nanos;

/** Whole units, rounded up. */
const units = (text: string): bigint => {
  const nanos = amount(text);
  return nanos / UNIT_NANOS + (nanos > 0n && nanos % UNIT_NANOS !== 0n ? 1n : 0n);
};

/** Rules of the capacities of a device that only one request uses. */
export const exclusiveCapacity: Rule<Capacity> = ({ requestPolicy }, at, report) => {
  if (requestPolicy) report.forbidden(at.field("requestPolicy"), "allowMultipleAllocations must be true");
};

/** Rules of the capacities of a device that several requests use. */
export const sharedCapacity: Rule<Capacity> = ({ value, requestPolicy: policy }, at, report) => {
  if (!policy) return;
  const place = at.field("requestPolicy");
  const { validValues = [], validRange, default: standard } = policy;
  if (validValues.length > 0 && validRange) {
    report.forbidden(
      place,
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
    );
  } else if (validValues.length > 0) {
    if (!standard) report.required(place.field("default"), "required when validValues is defined");
    else knownValues({ value, standard, validValues }, place.field("validValues"), report);
  } else if (validRange) {
    if (!standard) report.required(place.field("default"), "required when validRange is defined");
    else range({ value, standard, range: validRange }, place.field("validRange"), report);
  }
};

interface Known {
  readonly value: string;
  readonly standard: string;
}

function knownValues(
  { value, standard, validValues }: Known & { readonly validValues: NonNullable<Policy["validValues"]> },
  at: Place,
  report: Report,
): void {
  if (validValues.length > VALUES_MAX) {
    report.tooMany(at, { count: validValues.length, max: VALUES_MAX });
    return;
  }
  const seen = new Set<bigint>();
  validValues.forEach((option, position) => {
    const place = at.item(position);
    const before = validValues[position - 1];
    if (before !== undefined && amount(before) > amount(option)) {
      report.invalid(place, option, "values must be sorted in ascending order");
    }
    if (amount(option) > amount(value)) {
      report.invalid(place, option, `option is larger than capacity value: ${value}`);
    }
    if (seen.has(units(option))) report.duplicate(place, String(units(option)));
    seen.add(units(option));
  });
  if (validValues.some((option) => amount(option) === amount(standard))) return;
  report.invalid(at, standard, "default value is not valid according to the requestPolicy");
}

function range(
  { value, standard, range: { min, max, step } }: Known & { readonly range: resourceV1.CapacityRequestPolicyRange },
  at: Place,
  report: Report,
): void {
  if (!min) {
    report.required(at.field("min"), "required when validRange is defined");
    return;
  }
  const check = (name: string, isWrong: boolean, shown: string, detail: string) => {
    if (isWrong) report.invalid(at.field(name), shown, detail);
  };
  check("min", amount(min) > amount(value), min, `min is larger than capacity value: ${value}`);
  check("min", amount(standard) < amount(min), standard, `default is less than min: ${min}`);
  if (max) {
    check("max", amount(min) > amount(max), min, `min is larger than max: ${max}`);
    check("max", amount(max) > amount(value), max, `max is larger than capacity value: ${value}`);
    check("max", amount(standard) > amount(max), standard, `default is more than max: ${max}`);
  }
  if (!step) return;
  if (units(step) <= 0n) {
    report.invalid(at.field("step"), step, "must be greater than zero");
    return;
  }
  check("step", amount(min) + amount(step) > amount(value), step, `one step is larger than capacity value: ${value}`);
  for (const reached of [standard, ...(max ? [max] : [])]) {
    const isOff = (units(reached) - units(min)) % units(step) !== 0n;
    check("step", isOff, reached, `value is not a multiple of a given step (${step}) from (${min})`);
  }
}
