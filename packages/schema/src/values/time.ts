// Times in the API: RFC 3339 in UTC, in seconds or microseconds. Source:
// staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/time.go and micro_time.go.

const SHAPE = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/**
 * Returns the canonical time: "2024-05-01T12:00:00+02:00" → "2024-05-01T10:00:00Z". Fractions of a second are
 * truncated. Undefined for an invalid text.
 */
export function canonicalTime(text: string): string | undefined {
  return canonical(text, "");
}

/**
 * Returns the canonical microtime: "2024-05-01T12:00:00.123456+02:00" → "2024-05-01T10:00:00.123456Z". Undefined for an
 * invalid text, and without six decimals.
 */
export function canonicalMicroTime(text: string): string | undefined {
  return MICROSECONDS.test(text) ? canonical(text, ".000000") : undefined;
}

const MICROSECONDS = /^.{19}[.,]\d{6}(?!\d)/;

/** Formats a time. @param ms milliseconds since 1970 */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Formats a microtime. @param ms milliseconds since 1970, with fractions down to a microsecond */
export function microTimeText(ms: number): string {
  const whole = Math.floor(ms);
  const micros = Math.floor((ms - whole) * 1000);
  return `${new Date(whole).toISOString().slice(0, 23)}${String(micros).padStart(3, "0")}Z`;
}

/**
 * Parses a time in either form. Returns milliseconds since 1970, with microseconds as a fraction; undefined for an
 * invalid text.
 */
export function parseTime(text: string): number | undefined {
  const time = canonical(text, ".000000");
  if (time === undefined) return undefined;
  return Date.parse(`${time.slice(0, 23)}Z`) + Number(time.slice(23, 26)) / 1000;
}

function canonical(text: string, zeroFraction: "" | ".000000"): string | undefined {
  if (zeroFraction === "" && isCanonical(text)) return text;
  const match = SHAPE.exec(text);
  if (match === null || !isValid(match)) return undefined;
  const [, , , , , , , fraction = "", sign, offsetHours, offsetMinutes] = match;
  const decimals = zeroFraction === "" ? "" : `.${fraction.slice(0, 6).padEnd(6, "0")}`;
  const local = text.slice(0, 19);
  if (sign === undefined) return `${local}${decimals}Z`;
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  const utc = new Date(Date.parse(`${local}Z`) - (sign === "+" ? offsetMs : -offsetMs)).toISOString();
  // Years outside 0000–9999 have more digits, which RFC 3339 does not allow.
  return /^\d{4}-/.test(utc) ? `${utc.slice(0, 19)}${decimals}Z` : undefined;
}

/** Fast check for nearly all times: those in canonical form, on days that every month has. */
function isCanonical(text: string): boolean {
  if (text.length !== CANONICAL.length) return false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const wanted = CANONICAL.charCodeAt(at);
    if (wanted === ZERO ? code < ZERO || code > NINE : code !== wanted) return false;
  }
  const [month, day] = [twoDigits(text, 5), twoDigits(text, 8)];
  if (month < 1 || month > 12 || day < 1 || day > 28) return false;
  return twoDigits(text, 11) <= 23 && twoDigits(text, 14) <= 59 && twoDigits(text, 17) <= 59;
}

const CANONICAL = "0000-00-00T00:00:00Z";
const ZERO = 0x30;
const NINE = 0x39;

const twoDigits = (text: string, at: number): number =>
  (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;

function isValid(match: RegExpExecArray): boolean {
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return false;
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (day > (DAYS[month - 1] as number) + (month === 2 && isLeapYear ? 1 : 0)) return false;
  return match[8] === undefined || (Number(match[9]) <= 23 && Number(match[10]) <= 59);
}
