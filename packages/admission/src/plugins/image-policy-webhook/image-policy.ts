// Configuration of the ImagePolicyWebhook plugin. Source: plugin/pkg/admission/imagepolicy/config.go.
import { ConfigurationFields, field, formatGoDuration } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

export interface ImagePolicy {
  /** Client configuration file with the address and credentials of the backend. */
  readonly kubeConfigFile: string;
  /** Duration for which an allowed review is cached, in milliseconds; 0: not cached. */
  readonly allowMs: number;
  readonly denyMs: number;
  /** Delay before the first retry. */
  readonly backoffMs: number;
  /** Whether images are allowed when the backend fails. */
  readonly defaultAllow: boolean;
}

interface DurationRule {
  readonly name: string;
  readonly unitMs: number;
  readonly unasked: number;
  readonly min: string;
  readonly maxMs: number;
}

const TTL = { unitMs: 1000, min: "1s", maxMs: 30 * 60_000 };
const ALLOW: DurationRule = { name: "allowTTL", unasked: 5 * 60_000, ...TTL };
const DENY: DurationRule = { name: "denyTTL", unasked: 30_000, ...TTL };
const BACKOFF: DurationRule = { name: "retryBackoff", unasked: 500, unitMs: 1, min: "1ns", maxMs: 5 * 60_000 };

const AT = "imagePolicy";
/** Known fields. A file without a version may also hold the configuration of another plugin. */
const FILE_FIELDS = ["apiVersion", "kind", AT, "podNodeSelectorPluginConfig"];

/** Reads the configuration. @throws Error that names each invalid field and its rule */
export function readImagePolicy(configuration: JsonValue | undefined): ImagePolicy {
  const fields = new ConfigurationFields();
  const document = isObject(configuration) ? configuration : {};
  fields.known(document, "", FILE_FIELDS);
  const said = fields.object(document, AT, "");
  const policy = said ?? {};
  if (said === undefined && fields.lines.length === 0) fields.wrong(field.required(AT));
  fields.known(policy, AT, ["kubeConfigFile", ALLOW.name, DENY.name, BACKOFF.name, "defaultAllow"]);
  const kubeConfigFile = fields.text(policy, "kubeConfigFile", AT);
  if (said !== undefined && kubeConfigFile === "") fields.wrong(field.required(`${AT}.kubeConfigFile`));
  const read = {
    kubeConfigFile,
    allowMs: duration(fields, policy, ALLOW),
    denyMs: duration(fields, policy, DENY),
    backoffMs: duration(fields, policy, BACKOFF),
    defaultAllow: fields.boolean(policy, "defaultAllow", AT) ?? false,
  };
  fields.end();
  return read;
}

/** Reads a duration. 0 selects the default; -1 disables. */
function duration(fields: ConfigurationFields, of: JsonObject, rule: DurationRule): number {
  const { name, unitMs, unasked, min, maxMs } = rule;
  const value = fields.integer(of, name, AT) ?? 0;
  if (value === 0) return unasked;
  if (value === -1) return 0;
  const ms = value * unitMs;
  if (ms < 0 || ms > maxMs) {
    const why = `valid value is between ${min} and ${formatGoDuration(maxMs)}, got ${formatGoDuration(ms)}`;
    fields.wrong(field.invalid(`${AT}.${name}`, value, why));
  }
  return ms;
}
