// String formats of schemas. Unknown formats are ignored.
// Source: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types_jsonschema.go.
import { isIPv4, isIPv6 } from "node:net";
import { familyOf } from "@orch/machinery";
import { canonicalBase64, parseTime } from "@orch/schema";

export interface TextFormat {
  /** Name used in error messages. */
  readonly name: string;
  readonly holds: (text: string) => boolean;
}

/** Release since which the formats of names are validated: the oldest compatible one, 1.34, must know them too. */
export const NAME_FORMATS_SINCE = "1.35";
/** First release whose errors of custom resources have kinds by the rule that is violated. */
export const ERROR_KINDS_SINCE = "1.25";

/**
 * Returns a format by name. Hyphens are ignored: `date-time` and `datetime` are the same.
 * @param hasNames whether the formats of Kubernetes names are known
 */
export function formatOf(name: string, hasNames = false): TextFormat | undefined {
  const plain = name.replaceAll("-", "");
  return FORMATS.get(plain) ?? (hasNames ? NAME_FORMATS.get(plain) : undefined);
}

const byPattern =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

const TEXT_MAX_CHARACTERS = 4096;

/**
 * Limits the length of the text, because checking longer ones would be expensive. No valid text of these formats is
 * longer.
 */
const short =
  (holds: (text: string) => boolean) =>
  (text: string): boolean =>
    text.length <= TEXT_MAX_CHARACTERS && holds(text);

const HOST_LABEL = /^[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\p{S}\p{L}-]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u;
const HOST_ALONE = /^[a-zA-Z0-9\p{S}\p{L}]-?[a-zA-Z0-9\p{S}\p{L}]{0,62}$/u;
const TOP_LABEL = /^[a-zA-Z\p{L}]{2,63}$/u;

function isHostname(text: string): boolean {
  if (text.length > 255) return false;
  const labels = text.split(".");
  const top = labels.pop() ?? "";
  if (labels.length === 0) return top.length <= 63 && HOST_ALONE.test(top);
  return TOP_LABEL.test(top) && labels.every((label) => HOST_LABEL.test(label));
}

/** Accepts a scheme with a rest, or an absolute path. */
function isUri(text: string): boolean {
  if (text === "" || /[\s\p{Cc}]/u.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) return false;
  return text.startsWith("/") || /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text);
}

const ADDRESS = /^[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\"]+$/;

/** Accepts an address alone, or in angle brackets after a display name. */
function isEmail(text: string): boolean {
  const named = /^[^<>@]*<([^<>]+)>$/.exec(text.trim());
  const address = (named?.[1] ?? text).trim();
  return ADDRESS.test(address) && !address.includes("..") && !/^\.|\.@|@\.|\.$/.test(address);
}

function isCidr(text: string): boolean {
  const [address = "", bits = "", ...more] = text.split("/");
  if (more.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(bits)) return false;
  if (isIPv4(address)) return Number(bits) <= 32;
  return isIPv6(address) && !address.includes("%") && Number(bits) <= 128;
}

const isIpv4 = (text: string): boolean => isIPv4(text) || (text.startsWith("::ffff:") && isIPv4(text.slice(7)));

/** Accepts 6, 8 or 20 bytes, in groups of two or four digits. */
function isMac(text: string): boolean {
  const bytes = /^(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1)*[0-9a-f]{2}$/i.test(text)
    ? (text.length + 1) / 3
    : /^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$/i.test(text)
      ? ((text.length + 1) / 5) * 2
      : 0;
  return bytes === 6 || bytes === 8 || bytes === 20;
}

const uuid = (version: string, variant: string): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, "i");

const digitsOf = (text: string): string => text.replace(/[\s-]+/g, "");

function isIsbn10(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  return sum(digits, (digit, at) => (10 - at) * (digit === "X" ? 10 : Number(digit))) % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = digitsOf(text);
  return /^\d{13}$/.test(digits) && sum(digits, (digit, at) => Number(digit) * (at % 2 === 0 ? 1 : 3)) % 10 === 0;
}

const sum = (digits: string, worth: (digit: string, at: number) => number): number =>
  [...digits].reduce((total, digit, at) => total + worth(digit, at), 0);

/** Number ranges of the common card issuers. The check digit is verified separately. */
const CARD =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

function isCard(text: string): boolean {
  const digits = text.replace(/\D+/g, "");
  if (!CARD.test(digits)) return false;
  const last = digits.length - 1;
  const worth = (digit: string, at: number): number => {
    const value = (last - at) % 2 === 0 ? Number(digit) : 2 * Number(digit);
    return value > 9 ? value - 9 : value;
  };
  return sum(digits, worth) % 10 === 0;
}

function isRgb(text: string): boolean {
  const parts = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  return parts?.slice(1).every((part) => Number(part) <= 255) ?? false;
}

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (parts === null) return false;
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

const isDateTime = (text: string): boolean => parseTime(text.toUpperCase()) !== undefined;

const GO_DURATION = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const DURATION_WORD =
  "ns|nanos?|nanoseconds?|us|µs|μs|micros?|microseconds?|ms|millis?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?";
const WORDED_DURATION = new RegExp(`^\\s*(?:\\d+\\s*(?:${DURATION_WORD})\\s*)+$`, "i");

/** Accepts Go durations (`1h30m`) and worded ones (`3 weeks`). */
const isDuration = (text: string): boolean =>
  text === "0" || GO_DURATION.test(text) || (text.length <= 128 && WORDED_DURATION.test(text));

const isBase64 = (text: string): boolean =>
  text !== "" && /^[A-Za-z0-9+/]*={0,2}$/.test(text) && canonicalBase64(text) !== undefined;

const FORMATS: ReadonlyMap<string, TextFormat> = new Map(
  (
    [
      ["bsonobjectid", byPattern(/^[0-9a-fA-F]{24}$/)],
      ["uri", isUri],
      ["email", short(isEmail)],
      ["hostname", isHostname],
      ["ipv4", isIpv4],
      ["ipv6", (text) => familyOf(text) === "IPv6"],
      ["cidr", isCidr],
      ["mac", short(isMac)],
      ["uuid", byPattern(uuid("[0-9a-f]", "[0-9a-f]"))],
      ["uuid3", byPattern(uuid("3", "[0-9a-f]"))],
      ["uuid4", byPattern(uuid("4", "[89ab]"))],
      ["uuid5", byPattern(uuid("5", "[89ab]"))],
      ["isbn", short((text) => isIsbn10(text) || isIsbn13(text))],
      ["isbn10", short(isIsbn10)],
      ["isbn13", short(isIsbn13)],
      ["creditcard", short(isCard)],
      ["ssn", byPattern(/^\d{3}[- ]\d{2}[- ]\d{4}$/)],
      ["hexcolor", byPattern(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
      ["rgbcolor", short(isRgb)],
      ["byte", isBase64],
      ["password", () => true],
      ["date", isDate],
      ["duration", short(isDuration)],
      ["datetime", short(isDateTime)],
    ] as readonly (readonly [string, (text: string) => boolean])[]
  ).map(([name, holds]) => [name, { name: name === "datetime" ? "date-time" : name, holds }]),
);

const SHORT_NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

const NAME_FORMATS: ReadonlyMap<string, TextFormat> = new Map([
  ["k8sshortname", { name: "k8s-short-name", holds: (text) => text.length <= 63 && SHORT_NAME.test(text) }],
  [
    "k8slongname",
    {
      name: "k8s-long-name",
      holds: (text) => text.length <= 253 && text.split(".").every((part) => SHORT_NAME.test(part)),
    },
  ],
]);
