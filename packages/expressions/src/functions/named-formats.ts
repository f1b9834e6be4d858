// Named formats of texts. Source: staging/src/k8s.io/apiserver/pkg/cel/library/format.go.
import { label1035Errors, label1123Errors, labelValueErrors, NAME_RULES, qualifiedNameErrors } from "@orch/machinery";
import { CONSTANT, type CostModel, multiply, range, reads } from "../cost/cost-model";
import { ArrayList, type CelValue, OptionalValue } from "../values/cel-value";
import { FormatValue } from "../values/opaque-values";
import { timestampOf } from "../values/time-value";
import { fn, method, type Overload, parsing } from "./overload";
import { isUrl } from "./urls";

type Problems = (text: string) => readonly string[];

const matching =
  (pattern: RegExp, sentence: string): Problems =>
  (text) =>
    pattern.test(text) ? [] : [sentence];

const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && timestampOf(`${text}T00:00:00Z`) !== undefined;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

/** Validators by format name. Names have at most some hundred characters; longer texts are refused without matching. */
const FORMATS: Readonly<Record<string, Problems>> = {
  dns1123Label: label1123Errors,
  dns1123Subdomain: (text) => NAME_RULES.subdomain(text, false),
  dns1035Label: label1035Errors,
  dns1123LabelPrefix: (text) => NAME_RULES.label1123(text, true),
  dns1123SubdomainPrefix: (text) => NAME_RULES.subdomain(text, true),
  dns1035LabelPrefix: (text) => NAME_RULES.label1035(text, true),
  qualifiedName: qualifiedNameErrors,
  labelValue: labelValueErrors,
  uri: (text) => (isUrl(text) ? [] : ["invalid URI"]),
  uuid: matching(UUID, "does not match the UUID format"),
  byte: matching(BASE64, "invalid base64"),
  date: (text) => (isDate(text) ? [] : ["invalid date"]),
  datetime: (text) => (timestampOf(text) === undefined ? ["invalid datetime"] : []),
};

const VALUES = new Map(Object.entries(FORMATS).map(([name, problems]) => [name, new FormatValue(name, problems)]));

const validated = ({ problems }: FormatValue, text: string): CelValue => {
  const found = problems(text);
  return found.length === 0 ? OptionalValue.NONE : OptionalValue.of(new ArrayList(found));
};

const READS = reads(1);
/** Estimated cost of the longest pattern of a format, per unit of reading the text. */
const PATTERN_COST = 32;
const VALIDATES: CostModel = {
  ...READS,
  estimate: (...sizes) => multiply(READS.estimate(...sizes), range(PATTERN_COST)),
};

export const NAMED_FORMATS: readonly Overload[] = [
  ...Array.from(VALUES, ([name, value]) => fn(`format.${name}(): NamedFormat`, CONSTANT, () => value)),
  fn("format.named(string): optional<NamedFormat>", CONSTANT, (name: string) => {
    const value = VALUES.get(name);
    return value === undefined ? OptionalValue.NONE : OptionalValue.of(value);
  }),
  method("NamedFormat.validate(string): optional<list<string>>", VALIDATES, parsing(20, validated)),
];
