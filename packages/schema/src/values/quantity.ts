// Quantities of resources, such as "100m", "1.5Gi" or "12e6": exact decimal numbers with the family of their suffix.
// Source: staging/src/k8s.io/apimachinery/pkg/api/resource/quantity.go.

/** Family of suffixes in the canonical text. */
type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

export interface Quantity {
  /** Amount in units of 10^-9, the finest precision of a quantity. */
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

const NANO = 1_000_000_000n;
/** Maximum amount; larger ones are reduced to it. */
const NANOS_MAX = (2n ** 63n - 1n) * NANO;

/** A number without digits is zero. */
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

/** Maximum length: parsing a long number takes more than linear time. */
const TEXT_MAX = 128;

/** Parses a quantity. Digits below 10^-9 are rounded away from zero. Undefined for an invalid text. */
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

/** Matches most canonical texts: one to three digits and a suffix, for which no larger suffix is possible. */
const PLAIN = /^(?:0|[1-9]\d{0,2}(?:[numkMGTP]|[KMGTP]i)?)$/;

/** Returns the text in which a quantity is stored and served; undefined for an invalid text. */
export function canonicalQuantity(text: string): string | undefined {
  if (PLAIN.test(text)) return text;
  const quantity = parseQuantity(text.trim());
  return quantity === undefined ? undefined : quantityText(quantity);
}

/** Formats a quantity: without a fraction, with the largest possible suffix, without a plus sign. */
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

/** Returns a negative number, zero or a positive number when `a` is less than, equal to or greater than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
}

/** Returns the sum, in the format of `a` unless that is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos + b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** Returns `a` minus `b`, in the format of `a` unless that is zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, { nanos: -b.nanos, format: b.format });
}

/** Rounds away from zero to a multiple of ten to the power of `exponent` (-3 for thousandths, 0 for integers). */
export function roundUpQuantity({ nanos, format }: Quantity, exponent: number): Quantity {
  const unit = exponent <= -9 ? 1n : 10n ** BigInt(exponent + 9);
  const rounded = ((magnitude(nanos) + unit - 1n) / unit) * unit;
  return { nanos: nanos < 0n ? -rounded : rounded, format };
}

/** Returns the amount as an integer, rounded away from zero. */
export function quantityValue(quantity: Quantity): bigint {
  return roundUpQuantity(quantity, 0).nanos / NANO;
}

/** Returns the amount in thousandths, rounded away from zero. */
export function quantityMilliValue(quantity: Quantity): bigint {
  return roundUpQuantity(quantity, -3).nanos / 1_000_000n;
}

/** Returns `value` times ten to the power of `exponent`, rounded up, at most the maximum amount. */
function scaled(value: bigint, exponent: number): bigint {
  if (value === 0n) return 0n;
  if (exponent >= 0) {
    // Avoids computing a huge number that exceeds the maximum anyway.
    if (exponent > 40) return NANOS_MAX;
    const exact = value * 10n ** BigInt(exponent);
    return exact > NANOS_MAX ? NANOS_MAX : exact;
  }
  // The text is too short for a number that would exceed this after scaling.
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
