// Functions on quantities. Source: staging/src/k8s.io/apiserver/pkg/cel/library/quantity.go.
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityValue,
  subtractQuantities,
} from "@orch/schema";
import { CONSTANT, reads } from "../cost/cost-model";
import { fail } from "../values/evaluation-error";
import { QuantityValue } from "../values/opaque-values";
import { fn, method, type Overload, parsing } from "./overload";

const READS = reads(0);
const NANO = 1_000_000_000n;
const Q = "Quantity";

const quantity = (text: string): QuantityValue =>
  new QuantityValue(
    parseQuantity(text) ??
      fail("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
  );
const whole = (value: bigint): Quantity => ({ nanos: value * NANO, format: "DecimalSI" });
const isInteger = ({ nanos }: Quantity): boolean =>
  nanos % NANO === 0n && BigInt.asIntN(64, nanos / NANO) === nanos / NANO;

const sums: Readonly<Record<string, (a: Quantity, b: Quantity) => Quantity>> = {
  add: addQuantities,
  sub: subtractQuantities,
};

export const QUANTITIES: readonly Overload[] = [
  fn(`quantity(string): ${Q}`, READS, parsing(15, quantity)),
  fn(
    "isQuantity(string): bool",
    READS,
    parsing(15, (text: string) => parseQuantity(text) !== undefined),
  ),
  method(`${Q}.sign(): int`, CONSTANT, ({ quantity: { nanos } }: QuantityValue) =>
    nanos > 0n ? 1n : nanos < 0n ? -1n : 0n,
  ),
  method(`${Q}.isInteger(): bool`, CONSTANT, ({ quantity: of }: QuantityValue) => isInteger(of)),
  method(`${Q}.asInteger(): int`, CONSTANT, ({ quantity: of }: QuantityValue) =>
    isInteger(of) ? quantityValue(of) : fail("cannot convert value to integer"),
  ),
  method(
    `${Q}.asApproximateFloat(): double`,
    CONSTANT,
    ({ quantity: { nanos } }: QuantityValue) => Number(nanos) / 1e9,
  ),
  method(
    `${Q}.isGreaterThan(${Q}): bool`,
    CONSTANT,
    (a: QuantityValue, b: QuantityValue) => compareQuantities(a.quantity, b.quantity) > 0,
  ),
  method(
    `${Q}.isLessThan(${Q}): bool`,
    CONSTANT,
    (a: QuantityValue, b: QuantityValue) => compareQuantities(a.quantity, b.quantity) < 0,
  ),
  method(`${Q}.compareTo(${Q}): int`, CONSTANT, (a: QuantityValue, b: QuantityValue) =>
    BigInt(compareQuantities(a.quantity, b.quantity)),
  ),
  ...Object.entries(sums).flatMap(([name, of]) => [
    method(
      `${Q}.${name}(${Q}): ${Q}`,
      CONSTANT,
      (a: QuantityValue, b: QuantityValue) => new QuantityValue(of(a.quantity, b.quantity)),
    ),
    method(
      `${Q}.${name}(int): ${Q}`,
      CONSTANT,
      (a: QuantityValue, b: bigint) => new QuantityValue(of(a.quantity, whole(b))),
    ),
  ]),
];
