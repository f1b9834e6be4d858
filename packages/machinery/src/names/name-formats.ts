// Formats of names, keys and values: a table of patterns, each with the sentence that describes it in an error. Source:
// staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go.
import { canonicalAddress, familyOf, isMappedAddress, plainAddress } from "../values/ip-address";

interface Format {
  /** Matches the whole text. */
  readonly pattern: RegExp;
  /** Maximum number of characters. */
  readonly max?: number;
  readonly sentence: string;
  readonly examples: readonly string[];
}

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const NAME_PART = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

const SUBDOMAIN_MAX = 253;
const LABEL_MAX = 63;

const FORMATS = {
  label1123: {
    pattern: new RegExp(`^${LABEL}$`),
    max: LABEL_MAX,
    sentence: "an RFC 1123 label holds lower case letters, digits and '-', and starts and ends with a letter or digit",
    examples: ["my-name", "123-abc"],
  },
  label1035: {
    pattern: /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
    max: LABEL_MAX,
    sentence:
      "an RFC 1035 label holds lower case letters, digits and '-', starts with a letter and ends with a letter or digit",
    examples: ["my-name", "abc-123"],
  },
  subdomain: {
    pattern: new RegExp(`^${SUBDOMAIN}$`),
    max: SUBDOMAIN_MAX,
    sentence:
      "an RFC 1123 subdomain holds lower case letters, digits, '-' and '.', and each part between dots starts and ends with a letter or digit",
    examples: ["example.com"],
  },
  wildcardSubdomain: {
    pattern: new RegExp(`^\\*\\.${SUBDOMAIN}$`),
    max: SUBDOMAIN_MAX,
    sentence: "a wildcard subdomain is '*.' followed by an RFC 1123 subdomain",
    examples: ["*.example.com"],
  },
  namePart: {
    pattern: new RegExp(`^${NAME_PART}$`),
    max: LABEL_MAX,
    sentence: "must hold letters, digits, '-', '_' and '.', and start and end with a letter or digit",
    examples: ["MyName", "my.name", "123-abc"],
  },
  labelValue: {
    pattern: new RegExp(`^(${NAME_PART})?$`),
    max: LABEL_MAX,
    sentence:
      "a label's value is empty, or holds letters, digits, '-', '_' and '.', and starts and ends with a letter or digit",
    examples: ["MyValue", "my_value", "12345"],
  },
  cIdentifier: {
    pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
    sentence: "an identifier starts with a letter or '_', followed by letters, digits and '_'",
    examples: ["my_name", "MY_NAME", "MyName"],
  },
  envVarCharacters: {
    pattern: /^[-._a-zA-Z][-._a-zA-Z0-9]*$/,
    sentence: "a variable's name holds letters, digits, '_', '-' and '.', and does not start with a digit",
    examples: ["my.env-name", "MY_ENV.NAME", "MyEnvName1"],
  },
  configKeyCharacters: {
    pattern: /^[-._a-zA-Z0-9]+$/,
    max: SUBDOMAIN_MAX,
    sentence: "a key holds letters, digits, '-', '_' and '.'",
    examples: ["key.name", "KEY_NAME", "key-name"],
  },
  percent: {
    pattern: /^[0-9]+%$/,
    sentence: "a percentage is digits followed by '%'",
    examples: ["1%", "93%"],
  },
  headerName: {
    pattern: /^[-A-Za-z0-9]+$/,
    sentence: "a header's name holds letters, digits and '-'",
    examples: ["X-Header-Name"],
  },
} as const satisfies Readonly<Record<string, Format>>;

/** Sentences describing the violated rules; empty when the text is valid. */
export type FormatErrors = readonly string[];

const NONE: FormatErrors = [];

export const label1123Errors = (text: string): FormatErrors => breaches(FORMATS.label1123, text);
export const label1035Errors = (text: string): FormatErrors => breaches(FORMATS.label1035, text);
export const subdomainErrors = (text: string): FormatErrors => breaches(FORMATS.subdomain, text);
export const wildcardSubdomainErrors = (text: string): FormatErrors => breaches(FORMATS.wildcardSubdomain, text);
export const labelValueErrors = (text: string): FormatErrors => breaches(FORMATS.labelValue, text);
export const cIdentifierErrors = (text: string): FormatErrors => breaches(FORMATS.cIdentifier, text);
export const percentErrors = (text: string): FormatErrors => breaches(FORMATS.percent, text);
export const headerNameErrors = (text: string): FormatErrors => breaches(FORMATS.headerName, text);

export const envVarNameErrors = (text: string): FormatErrors =>
  joined(breaches(FORMATS.envVarCharacters, text), dotNameErrors(text));

export const configKeyErrors = (text: string): FormatErrors =>
  joined(breaches(FORMATS.configKeyCharacters, text), dotNameErrors(text));

/** Validates `[prefix/]name`: the form of label and annotation keys, finalizers and condition types. */
export function qualifiedNameErrors(text: string): FormatErrors {
  const slash = text.indexOf("/");
  const name = slash < 0 ? text : text.slice(slash + 1);
  if (name.includes("/")) {
    return [
      `a qualified name is a name part with an optional prefix and one '/' between them${example(["example.com/MyName"])}`,
    ];
  }
  const nameErrors = partErrors("name part ", name, FORMATS.namePart);
  return slash < 0
    ? nameErrors
    : joined(partErrors("prefix part ", text.slice(0, slash), FORMATS.subdomain), nameErrors);
}

/** Validates a segment of a URL path. */
export function pathSegmentErrors(text: string): FormatErrors {
  return text === "." || text === ".." ? [`may not be '${text}'`] : pathSegmentPrefixErrors(text);
}

/** Validates only the characters: the rule for the start of a path segment. */
function pathSegmentPrefixErrors(text: string): FormatErrors {
  if (!text.includes("/") && !text.includes("%")) return NONE;
  return ["/", "%"].filter((each) => text.includes(each)).map((each) => `may not contain '${each}'`);
}

/** Validates a port name of a Service or container. */
export function portNameErrors(text: string): FormatErrors {
  if (text.length <= 15 && PORT_NAME.test(text)) return NONE;
  return [
    ...(text.length > 15 ? [tooLongText(15)] : []),
    ...(/^[-a-z0-9]+$/.test(text) ? [] : ["must contain only lower case letters, digits and '-'"]),
    ...(/[a-z]/.test(text) ? [] : ["must contain at least one letter (a-z)"]),
    ...(text.includes("--") ? ["must not contain consecutive hyphens"] : []),
    ...(text.startsWith("-") || text.endsWith("-") ? ["must not begin or end with a hyphen"] : []),
  ];
}

const PORT_NAME = /^(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*$/;

export const portNumberErrors = (value: number): FormatErrors => rangeErrors(value, { min: 1, max: 65535 });

/** Validates an IPv4 or IPv6 address. Leading zeros in IPv4 are accepted and read as decimal. */
export const ipErrors = (text: string): FormatErrors =>
  familyOf(text) !== undefined ? NONE : [`must be an IPv4 or IPv6 address${example(["10.9.8.7", "2001:db8::1"])}`];

/**
 * Validates the canonical text of an address, which newer kinds require. Source:
 * staging/src/k8s.io/apimachinery/pkg/util/validation/ip.go, `IsValidIP`.
 */
function canonicalIpErrors(text: string): FormatErrors {
  const errors = ipErrors(text);
  if (errors.length > 0) return errors;
  if (plainAddress(text) !== text) return ["must not have leading 0s"];
  if (isMappedAddress(text)) return ["must not be an IPv4-mapped IPv6 address"];
  const canonical = canonicalAddress(text);
  return text === canonical ? NONE : [`must be in canonical form ("${canonical}")`];
}

/** Validates numeric user and group IDs of an operating system. */
export const operatingSystemIdErrors = (value: number): FormatErrors => rangeErrors(value, { min: 0, max: 2147483647 });

export const rangeErrors = (value: number, range: { readonly min: number; readonly max: number }): FormatErrors =>
  value >= range.min && value <= range.max ? NONE : [`must be between ${range.min} and ${range.max}, inclusive`];

/** Validates a domain name of at least three labels, such as a signer name or an APIService group. */
export function fullyQualifiedNameErrors(text: string): FormatErrors {
  const errors = subdomainErrors(text);
  if (errors.length > 0) return errors;
  return text.split(".").length < 3 ? ["must be a domain with at least three parts separated by dots"] : NONE;
}

/** Validates a DNS domain of at least two labels, with an optional trailing dot. */
export function fullyQualifiedDomainNameErrors(text: string): FormatErrors {
  const domain = text.endsWith(".") ? text.slice(0, -1) : text;
  const errors = subdomainErrors(domain);
  if (errors.length > 0) return errors;
  const labels = domain.split(".");
  if (labels.length < 2) return ["must be a domain with at least two parts separated by dots"];
  const badLabel = labels.map(label1123Errors).find((each) => each.length > 0);
  return badLabel ?? NONE;
}

/** Validates a path with a domain prefix: `example.com/any/path`. */
export function domainPrefixedPathErrors(text: string): FormatErrors {
  const slash = text.indexOf("/");
  if (slash <= 0 || slash === text.length - 1) {
    return [`must be a domain and a path with '/' between them${example(["example.com/path"])}`];
  }
  const pathErrors = PATH_CHARACTERS.test(text.slice(slash + 1))
    ? NONE
    : ["path part contains characters that are not allowed in a URL path"];
  return joined(partErrors("prefix part ", text.slice(0, slash), FORMATS.subdomain), pathErrors);
}

const PATH_CHARACTERS = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** Rule of a kind for `metadata.name`; `asPrefix` is true for a `generateName`, which is followed by a suffix. */
export type NameRule = (name: string, asPrefix: boolean) => FormatErrors;

/** Formats that kinds use for their names. */
export const NAME_RULES = {
  subdomain: (name, asPrefix) => subdomainErrors(asPrefix ? maskTrailingHyphen(name) : name),
  label1123: (name, asPrefix) => label1123Errors(asPrefix ? maskTrailingHyphen(name) : name),
  label1035: (name, asPrefix) => label1035Errors(asPrefix ? maskTrailingHyphen(name) : name),
  pathSegment: (name, asPrefix) => (asPrefix ? pathSegmentPrefixErrors(name) : pathSegmentErrors(name)),
  configKey: (name) => configKeyErrors(name),
  ipAddress: canonicalIpErrors,
} as const satisfies Readonly<Record<string, NameRule>>;

export type NameFormat = keyof typeof NAME_RULES;

/** Replaces a trailing hyphen of a `generateName`, which is valid because a suffix follows. */
const maskTrailingHyphen = (name: string): string => (name.endsWith("-") ? `${name.slice(0, -1)}a` : name);

export const tooLongText = (maxCharacters: number): string => `must be no more than ${maxCharacters} characters`;

const dotNameErrors = (text: string): FormatErrors =>
  text === "." || text === ".."
    ? [`must not be '${text}'`]
    : text.startsWith("..")
      ? ["must not start with '..'"]
      : NONE;

function partErrors(prefix: string, part: string, format: Format): FormatErrors {
  if (part === "") return [`${prefix}must be non-empty`];
  const errors = breaches(format, part);
  return errors.length === 0 ? NONE : errors.map((each) => `${prefix}${each}`);
}

/**
 * Maximum length of texts that are matched against patterns. For longer texts only the excessive length is reported.
 */
const LOOKED_AT_MAX_CHARACTERS = 16 * 1024;

function breaches(format: Format, text: string): FormatErrors {
  const { max } = format;
  if (max === undefined || text.length <= max) return format.pattern.test(text) ? NONE : misfit(format);
  const tooLong = [tooLongText(max)];
  if (text.length > LOOKED_AT_MAX_CHARACTERS || format.pattern.test(text)) return tooLong;
  return [...tooLong, ...misfit(format)];
}

const misfits = new WeakMap<Format, FormatErrors>();

/** Returns the error of a format. Built once, because a body may contain a hundred thousand invalid texts. */
function misfit(format: Format): FormatErrors {
  let errors = misfits.get(format);
  if (errors === undefined) {
    const { sentence, examples, pattern } = format;
    errors = [`${sentence}${example(examples, pattern)}`];
    misfits.set(format, errors);
  }
  return errors;
}

function example(examples: readonly string[], pattern?: RegExp): string {
  const listed = `e.g. ${examples.map((each) => `'${each}'`).join(", or ")}`;
  return pattern === undefined
    ? ` (${listed})`
    : ` (${listed}, regex used for validation is '${pattern.source.slice(1, -1)}')`;
}

const joined = (first: FormatErrors, second: FormatErrors): FormatErrors =>
  first.length === 0 ? second : second.length === 0 ? first : [...first, ...second];
