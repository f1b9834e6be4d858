// Configuration of the EventRateLimit plugin. Source: plugin/pkg/admission/eventratelimit/apis/eventratelimit/types.go.
import { ConfigurationFields, field } from "@orch/machinery";
import { isObject, type JsonValue, type Vocabulary } from "@orch/schema";

const LIMIT_TYPES = ["Server", "Namespace", "User", "SourceAndObject"] as const;
export type LimitType = (typeof LIMIT_TYPES)[number];

export interface EventLimit {
  readonly type: LimitType;
  /** Events per second. */
  readonly qps: number;
  /** Size of the token bucket: the number of events allowed at once. */
  readonly burst: number;
  /** Maximum number of keys: namespaces, users, or pairs of source and object. */
  readonly cacheSize: number;
}

const CACHE_SIZE = 4096;
const KIND = "Configuration";
const LIMIT_FIELDS = ["type", "qps", "burst", "cacheSize"];

/** Reads the configuration. @throws Error that names each invalid field and its rule */
export function readEventLimits(configuration: JsonValue | undefined, { groups }: Vocabulary): readonly EventLimit[] {
  const fields = new ConfigurationFields();
  const document = isObject(configuration) ? configuration : {};
  if (configuration !== undefined) {
    fields.versioned(document, { kind: KIND, supported: [`${groups.eventratelimitAdmission}/v1alpha1`] });
    fields.known(document, "", ["apiVersion", "kind", "limits"]);
  }
  const listed = fields.objects(document, "limits", "");
  if (listed.length === 0) fields.wrong(field.invalid("limits", [], "must not be empty"));
  const limits = listed.map((item, index): EventLimit => {
    const at = `limits[${index}]`;
    fields.known(item, at, LIMIT_FIELDS);
    const type = fields.text(item, "type", at) as LimitType;
    if (!LIMIT_TYPES.includes(type)) fields.wrong(field.notSupported(`${at}.type`, type, LIMIT_TYPES));
    const [burst, qps] = ["burst", "qps"].map((name) => {
      const value = fields.integer(item, name, at) ?? 0;
      if (value <= 0) fields.wrong(field.invalid(`${at}.${name}`, value, "must be positive"));
      return value;
    }) as [number, number];
    const cacheSize = fields.integer(item, "cacheSize", at) ?? 0;
    if (type !== "Server" && cacheSize < 0)
      fields.wrong(field.invalid(`${at}.cacheSize`, cacheSize, "must not be negative"));
    return { type, qps, burst, cacheSize: cacheSize || CACHE_SIZE };
  });
  fields.end();
  return limits;
}
