// Formats that newer releases restrict. An update may keep a value that its object had at the same path before the
// restriction. Sources: KEP-4858, "IP/CIDR validation improvements"; pkg/apis/core/validation/validation.go.
import { addressNumber, familyOf, isMappedAddress, labelValueErrors, subdomainErrors } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import type { Features } from "../model/features/features";
import type { Place } from "../model/rules/place";
import type { Report } from "../model/rules/report";
import type { StrictFormat, StrictFormats } from "../model/strict-format";
import { parseCidr } from "./address-rules";

/** A check of an object. `old` is the stored object of an update. */
export type StrictCheck = (object: JsonObject, old: JsonObject | undefined, at: Place, report: Report) => void;

/** Builds the check of the formats that the release restricts. @returns undefined when it restricts none */
export function strictCheck(formats: StrictFormats, features: Features): StrictCheck | undefined {
  const entries = Object.entries(formats)
    .filter(([, format]) => isRestricted(format, features))
    .map(([path, format]) => ({ steps: path.split("."), format }));
  if (entries.length === 0) return undefined;
  return (object, old, at, report) => {
    for (const { steps, format } of entries) {
      visit(object, { steps, at }, (value, place) => {
        const flaws = flawsOf(value, place, format);
        if (flaws.length === 0) return;
        if (old !== undefined && isKept(value, { steps, at, old })) return;
        for (const flaw of flaws) report.invalid(flaw.at, flaw.value, flaw.text);
      });
    }
  };
}

function isRestricted(format: StrictFormat, features: Features): boolean {
  switch (format) {
    case "address":
    case "range":
      return features.isOn("StrictIPCIDRValidation");
    case "selector":
      return features.since("1.27");
    case "nodeTerm":
    case "apiGroup":
      return features.since("1.36");
  }
}

interface Visit {
  readonly steps: readonly string[];
  readonly at: Place;
}

function visit(value: JsonValue, { steps, at }: Visit, found: (value: JsonValue, at: Place) => void): void {
  const [step, ...rest] = steps;
  if (step === undefined) {
    found(value, at);
    return;
  }
  if (!isObject(value)) return;
  const isList = step.endsWith("[]");
  const name = isList ? step.slice(0, -2) : step;
  const part = value[name];
  if (part == null) return;
  const place = at.field(name);
  if (!isList) visit(part, { steps: rest, at: place }, found);
  else if (Array.isArray(part)) {
    for (const [position, item] of part.entries()) visit(item, { steps: rest, at: place.item(position) }, found);
  }
}

/** Returns whether the stored object has the value at the same path, in any item of its lists. */
function isKept(value: JsonValue, { steps, at, old }: Visit & { readonly old: JsonObject }): boolean {
  const text = JSON.stringify(value);
  let kept = false;
  visit(old, { steps, at }, (before) => {
    kept ||= JSON.stringify(before) === text;
  });
  return kept;
}

interface Flaw {
  readonly at: Place;
  readonly value: string;
  readonly text: string;
}

function flawsOf(value: JsonValue, at: Place, format: StrictFormat): readonly Flaw[] {
  switch (format) {
    case "address":
      return typeof value === "string" ? strictAddressErrors(value).map((text) => ({ at, value, text })) : [];
    case "range":
      return typeof value === "string" ? strictRangeErrors(value).map((text) => ({ at, value, text })) : [];
    case "apiGroup":
      return typeof value === "string" && value !== ""
        ? subdomainErrors(value).map((text) => ({ at, value, text }))
        : [];
    case "selector":
    case "nodeTerm":
      return selectorFlaws(value, at);
  }
}

const LEADING_ZEROS = /(^|[./])0\d/;

/** Returns the errors of an address that older releases accept; none for a text that is no address at all. */
export function strictAddressErrors(text: string): string[] {
  if (familyOf(text) === undefined) return [];
  if (!text.includes(":") && LEADING_ZEROS.test(text)) return ["must not have leading 0s"];
  return isMappedAddress(text) ? ["must not be an IPv4-mapped IPv6 address"] : [];
}

/** Returns the errors of a range that older releases accept; none for a text that is no range at all. */
export function strictRangeErrors(text: string): string[] {
  const range = parseCidr(text.trim());
  if (range === undefined) return [];
  const isPadded = text.includes(":") ? /\/0\d/.test(text) : LEADING_ZEROS.test(text);
  if (isPadded) return ["must not have leading 0s in IP or prefix length"];
  if (isMappedAddress(range.address)) return ["must not have an IPv4-mapped IPv6 address"];
  return hasHostBits(range) ? ["must not have bits set beyond the prefix length"] : [];
}

function hasHostBits({ address, family, prefixLength }: NonNullable<ReturnType<typeof parseCidr>>): boolean {
  const hostBits = BigInt((family === "IPv4" ? 32 : 128) - prefixLength);
  return (addressNumber(address) & ((1n << hostBits) - 1n)) !== 0n;
}

function selectorFlaws(selector: JsonValue, at: Place): Flaw[] {
  const expressions = isObject(selector) ? selector["matchExpressions"] : undefined;
  if (!Array.isArray(expressions)) return [];
  return expressions.flatMap((expression, position) => {
    const values = isObject(expression) ? expression["values"] : undefined;
    if (!Array.isArray(values)) return [];
    const place = at.field("matchExpressions").item(position).field("values");
    return values.flatMap((value, index) =>
      typeof value === "string" ? labelValueErrors(value).map((text) => ({ at: place.item(index), value, text })) : [],
    );
  });
}
