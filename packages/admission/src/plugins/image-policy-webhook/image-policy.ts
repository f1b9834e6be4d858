// What the plugin ImagePolicyWebhook is configured with. Source: facts, admission/plugins.md "ImagePolicyWebhook".
import { ConfigurationFields, field, formatGoDuration } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

export interface ImagePolicy {
  /** A client configuration file, which leads to the backend. */
  readonly kubeConfigFile: string;
  /** How long what was allowed stays so; 0: it is asked anew each time. */
  readonly allowMs: number;
  readonly denyMs: number;
  /** Before the second try. */
  readonly backoffMs: number;
  /** What becomes of images about which the backend says nothing. */
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
/** A file without a version may be another plugin's as well. */
const FILE_FIELDS = ["apiVersion", "kind", AT, "podNodeSelectorPluginConfig"];

/** @throws Error that names each field and its rule */
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

/** 0 is what nobody has said; -1 is none. */
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
