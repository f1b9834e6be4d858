// Amounts of resources, such as "100m", "1.5Gi" or "12e6": exact decimal numbers with the family of suffix they came in.
// Source: schema facts, special-types.json, resource.Quantity.

/** The family of suffixes that the canonical text takes. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

export interface Quantity {
  /** In thousand-millionths: the finest that a quantity can hold. */
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

const NANO = 1_000_000_000n;
/** Larger amounts are taken for this one. */
const NANOS_MAX = (2n ** 63n - 1n) * NANO;

/** A number without digits is zero, whatever stands around it. */
const SHAPE = /^([+-]?)(\d*)(?:\.(\d*))?(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,5}))?$/;
const DECIMAL_EXPONENT: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const DECIMAL_SUFFIX = new Map(Object.entries(DECIMAL_EXPONENT).map(([suffix, exponent]) => [exponent, suffix]));
const BINARY_SUFFIXES = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const;

/** Longer texts are refused, as reading a number takes more than linear time. */
const TEXT_MAX = 128;

/** Finer than a thousand-millionth is rounded away from zero. Undefined for text that is no quantity. */
export function parseQuantity(text: string): Quantity | undefined {
  const match = text === "" || text.length > TEXT_MAX ? null : SHAPE.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", suffix = "", exponent] = match;
  const isBinary = suffix.endsWith("i");
  const scale = exponent !== undefined ? Number(exponent) : isBinary ? 0 : (DECIMAL_EXPONENT[suffix] ?? 0);
  const factor = isBinary ? 1024n ** BigInt(BINARY_SUFFIXES.indexOf(suffix as "Ki")) : 1n;
  const magnitude = scaled(BigInt(whole + fraction) * factor, scale - fraction.length + 9);
  return {
    nanos: sign === "-" ? -magnitude : magnitude,
    format: exponent !== undefined ? "DecimalExponent" : isBinary ? "BinarySI" : "DecimalSI",
  };
}

/** Most amounts are written canonically: one to three digits and a suffix, which no larger suffix could take. */
const PLAIN = /^(?:0|[1-9]\d{0,2}(?:[numkMGTP]|[KMGTP]i)?)$/;

/** The text that a quantity is stored and served in; undefined for text that is no quantity. */
export function canonicalQuantity(text: string): string | undefined {
  if (PLAIN.test(text)) return text;
  const quantity = parseQuantity(text.trim());
  return quantity === undefined ? undefined : quantityText(quantity);
}

/** No fraction, the largest suffix that needs none, no plus sign. */
export function quantityText({ nanos, format }: Quantity): string {
  if (nanos === 0n) return "0";
  if (format === "BinarySI" && nanos % NANO === 0n && magnitude(nanos) >= 1024n * NANO) return binaryText(nanos / NANO);
  let exponent = -9;
  let amount = nanos;
  while (amount % 1000n === 0n && (format === "DecimalExponent" || exponent < 18)) {
    amount /= 1000n;
    exponent += 3;
  }
  if (format !== "DecimalExponent") return `${amount}${DECIMAL_SUFFIX.get(exponent) ?? ""}`;
  return exponent === 0 ? `${amount}` : `${amount}e${exponent}`;
}

/** Negative, zero or positive, as `a` is less than, equal to or more than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
}

/** The sum, in the format of `a` unless that is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos + b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** `a` less `b`, in the format of `a` unless that is zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, { nanos: -b.nanos, format: b.format });
}

/** Rounded away from zero to a multiple of ten to the power of `exponent` (-3 for thousandths, 0 for whole numbers). */
export function roundUpQuantity({ nanos, format }: Quantity, exponent: number): Quantity {
  const unit = exponent <= -9 ? 1n : 10n ** BigInt(exponent + 9);
  const rounded = ((magnitude(nanos) + unit - 1n) / unit) * unit;
  return { nanos: nanos < 0n ? -rounded : rounded, format };
}

/** The amount as a whole number, rounded away from zero. */
export function quantityValue(quantity: Quantity): bigint {
  return roundUpQuantity(quantity, 0).nanos / NANO;
}

/** The amount in thousandths, rounded away from zero. */
export function quantityMilliValue(quantity: Quantity): bigint {
  return roundUpQuantity(quantity, -3).nanos / 1_000_000n;
}

/** `value` times ten to the power of `exponent`, rounded up, at most the largest amount. */
function scaled(value: bigint, exponent: number): bigint {
  if (value === 0n) return 0n;
  if (exponent >= 0) {
    // Past the largest amount the exact number does not matter, and must not cost the time of making it.
    if (exponent > 40) return NANOS_MAX;
    const exact = value * 10n ** BigInt(exponent);
    return exact > NANOS_MAX ? NANOS_MAX : exact;
  }
  // No text is long enough for a number that comes to more than this.
  if (exponent < -2 * TEXT_MAX) return 1n;
  const divisor = 10n ** BigInt(-exponent);
  const rounded = (value + divisor - 1n) / divisor;
  return rounded > NANOS_MAX ? NANOS_MAX : rounded;
}

function binaryText(amount: bigint): string {
  let power = 0;
  let rest = amount;
  while (rest % 1024n === 0n && power < BINARY_SUFFIXES.length - 1) {
    rest /= 1024n;
    power++;
  }
  return `${rest}${BINARY_SUFFIXES[power]}`;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
