// Reads and validates the file of `--authorization-config`; reports all its errors at once. Source: KEP-3221
// (Structured Authorization Configuration).
import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  AUTHORIZATION_MODES,
  type AuthorizationMode,
  isAuthorizationMode,
  REVIEW_VERSIONS,
  type ReviewVersion,
} from "@orch/auth";
import type { CompiledExpression } from "@orch/expressions";
import { ConfigurationError, ConfigurationFields, field, readDocument, subdomainErrors } from "@orch/machinery";
import { isObject, type JsonObject, memberOf } from "@orch/schema";
import type { AuthorizationPlan, WebhookPlan } from "../settings/authorization-plan";
import { type ConditionSite, compileCondition } from "./match-conditions";

const OPTION = "authorization-config";
const KIND = "AuthorizationConfiguration";
const VERSIONS = ["v1", "v1beta1", "v1alpha1"];
/** Limits of Kubernetes. */
const TIMEOUT_MAX_MS = 30_000;
const CONDITIONS_MAX = 64;
/** Maximum number of authorizers: a request may be passed to all of them. */
const AUTHORIZERS_MAX = 64;
const TTL = { authorizedTTL: 300_000, unauthorizedTTL: 30_000 };
const FAILURE_POLICIES = ["NoOpinion", "Deny"];
const CONNECTIONS = ["InClusterConfig", "KubeConfigFile"];

/** @param text YAML or JSON @throws ConfigurationError */
export async function readConfiguration(text: string, site: ConditionSite): Promise<AuthorizationPlan> {
  const document = await readDocument(text, site.vocabulary);
  const reading = new Reading(site);
  const plan = await reading.plan(document);
  if (reading.lines.length > 0) throw new ConfigurationError(reading.lines);
  return plan;
}

class Reading extends ConfigurationFields {
  private readonly names = new Set<string>();
  private readonly types = new Set<string>();

  constructor(private readonly site: ConditionSite) {
    super();
  }

  async plan(document: JsonObject): Promise<AuthorizationPlan> {
    this.known(document, "", ["apiVersion", "kind", "authorizers"]);
    const supported = VERSIONS.map((version) => `${this.site.vocabulary.groups.apiserverConfig}/${version}`);
    const { apiVersion, kind } = document;
    if (!supported.includes(apiVersion as string)) this.wrong(field.notSupported("apiVersion", apiVersion, supported));
    if (kind !== KIND) this.wrong(field.notSupported("kind", kind, [KIND]));
    const listed = this.objects(document, "authorizers", "");
    if (listed.length === 0)
      this.wrong(field.required("authorizers", "at least one authorization mode must be defined"));
    if (listed.length > AUTHORIZERS_MAX)
      this.wrong(field.tooMany("authorizers", { count: listed.length, max: AUTHORIZERS_MAX }));
    const authorizers: { type: AuthorizationMode; name: string }[] = [];
    const webhooks: WebhookPlan[] = [];
    for (const [index, item] of listed.slice(0, AUTHORIZERS_MAX).entries()) {
      const path = `authorizers[${index}]`;
      const { type, name } = this.authorizer(item, path);
      if (type !== undefined) authorizers.push({ type, name });
      const webhook = await this.webhook(item, type, name, path);
      if (webhook !== undefined) webhooks.push(webhook);
    }
    return { authorizers, webhooks };
  }

  private authorizer(
    item: JsonObject,
    path: string,
  ): { readonly type: AuthorizationMode | undefined; readonly name: string } {
    this.known(item, path, ["type", "name", "webhook"]);
    const type = this.text(item, "type", path);
    const name = this.text(item, "name", path);
    const isKnown = isAuthorizationMode(type);
    if (type === "") this.wrong(field.required(`${path}.type`));
    else if (!isKnown) this.wrong(field.notSupported(`${path}.type`, type, AUTHORIZATION_MODES));
    else if (type !== "Webhook" && this.types.has(type)) this.wrong(field.duplicate(`${path}.type`, type));
    this.types.add(type);
    if (name === "") this.wrong(field.required(`${path}.name`));
    else if (this.names.has(name)) this.wrong(field.duplicate(`${path}.name`, name));
    else for (const detail of subdomainErrors(name)) this.wrong(field.invalid(`${path}.name`, name, detail));
    this.names.add(name);
    return { type: isKnown ? type : undefined, name };
  }

  private async webhook(
    item: JsonObject,
    type: AuthorizationMode | undefined,
    name: string,
    at: string,
  ): Promise<WebhookPlan | undefined> {
    const path = `${at}.webhook`;
    const webhook = memberOf(item, "webhook") ?? null;
    if (type !== "Webhook") {
      if (webhook !== null && type !== undefined)
        this.wrong(field.forbidden(path, "may only be specified when type is Webhook"));
      return undefined;
    }
    if (webhook === null) {
      this.wrong(field.required(path, "required when type is Webhook"));
      return undefined;
    }
    if (!isObject(webhook)) {
      this.typed(path, "an object");
      return undefined;
    }
    this.known(webhook, path, WEBHOOK_FIELDS);
    const kept = (ttl: keyof typeof TTL, caches: string) => {
      const ms = this.ttl(webhook, ttl, path);
      return this.boolean(webhook, caches, path) === false ? 0 : ms;
    };
    const version = this.oneOf(webhook, "subjectAccessReviewVersion", path, REVIEW_VERSIONS);
    const options = {
      version: version as ReviewVersion,
      authorizedTtlMs: kept("authorizedTTL", "cacheAuthorizedRequests"),
      unauthorizedTtlMs: kept("unauthorizedTTL", "cacheUnauthorizedRequests"),
      failurePolicy: this.oneOf(webhook, "failurePolicy", path, FAILURE_POLICIES) as "NoOpinion" | "Deny",
      timeoutMs: this.timeout(webhook, path),
    };
    const conditions = await this.conditions(webhook, path);
    const file = await this.connection(webhook, path);
    return { name, options, conditions, configurationFile: file === "" ? undefined : { option: OPTION, file } };
  }

  private timeout(webhook: JsonObject, at: string): number {
    const path = `${at}.timeout`;
    if (memberOf(webhook, "timeout") === undefined) {
      this.wrong(field.required(path));
      return TIMEOUT_MAX_MS;
    }
    const ms = this.durationMs(webhook, "timeout", at, TIMEOUT_MAX_MS);
    if (ms <= 0 || ms > TIMEOUT_MAX_MS)
      this.wrong(field.invalid(path, memberOf(webhook, "timeout"), "must be more than 0s, and at most 30s"));
    return ms;
  }

  private ttl(webhook: JsonObject, name: keyof typeof TTL, at: string): number {
    const ms = this.durationMs(webhook, name, at, TTL[name]) || TTL[name];
    if (ms < 0) this.wrong(field.invalid(`${at}.${name}`, memberOf(webhook, name), "must be more than 0s"));
    return ms;
  }

  private async conditions(webhook: JsonObject, at: string): Promise<readonly CompiledExpression[]> {
    const path = `${at}.matchConditions`;
    const listed = this.objects(webhook, "matchConditions", at);
    const versionName = "matchConditionSubjectAccessReviewVersion";
    if (listed.length > 0 || memberOf(webhook, versionName) !== undefined) this.oneOf(webhook, versionName, at, ["v1"]);
    if (listed.length > CONDITIONS_MAX) this.wrong(field.tooMany(path, { count: listed.length, max: CONDITIONS_MAX }));
    const sources = new Set<string>();
    const conditions: CompiledExpression[] = [];
    for (const [index, item] of listed.slice(0, CONDITIONS_MAX).entries()) {
      const each = `${path}[${index}]`;
      this.known(item, each, ["expression"]);
      const source = this.text(item, "expression", each).trim();
      if (source === "") this.wrong(field.required(`${each}.expression`));
      else if (sources.has(source)) this.wrong(field.duplicate(`${each}.expression`, source));
      else {
        sources.add(source);
        // One compilation may take a whole turn of the event loop.
        await nextTurn();
        const compiled = compileCondition(source, this.site);
        if (typeof compiled === "string") this.wrong(field.invalid(`${each}.expression`, source, compiled));
        else conditions.push(compiled);
      }
    }
    return conditions;
  }

  /** @returns the file; "" for in-cluster configuration */
  private async connection(webhook: JsonObject, at: string): Promise<string> {
    const path = `${at}.connectionInfo`;
    const info = memberOf(webhook, "connectionInfo") ?? {};
    if (!isObject(info)) {
      this.typed(path, "an object");
      return "";
    }
    this.known(info, path, ["type", "kubeConfigFile"]);
    const type = this.oneOf(info, "type", path, CONNECTIONS);
    const file = this.text(info, "kubeConfigFile", path);
    const filePath = `${path}.kubeConfigFile`;
    if (type === "InClusterConfig") {
      if (file !== "") this.wrong(field.invalid(filePath, file, "can only be set when type is KubeConfigFile"));
      return "";
    }
    if (type !== "KubeConfigFile") return "";
    if (file === "") this.wrong(field.required(filePath));
    else if (!isAbsolute(file)) this.wrong(field.invalid(filePath, file, "must be an absolute path"));
    else await this.existing(filePath, file);
    return file;
  }

  private async existing(path: string, file: string): Promise<void> {
    const found = await stat(file).catch((error: Error) => error);
    if (!("isFile" in found)) this.wrong(field.invalid(path, file, found.message));
    else if (!found.isFile()) this.wrong(field.invalid(path, file, "must be an existing file"));
  }

  private oneOf(of: JsonObject, name: string, at: string, supported: readonly string[]): string {
    const path = `${at}.${name}`;
    const value = this.text(of, name, at);
    if (value === "") this.wrong(field.required(path));
    else if (!supported.includes(value)) this.wrong(field.notSupported(path, value, supported));
    return value;
  }
}

const WEBHOOK_FIELDS = [
  ...["authorizedTTL", "unauthorizedTTL", "cacheAuthorizedRequests", "cacheUnauthorizedRequests", "timeout"],
  ...["subjectAccessReviewVersion", "matchConditionSubjectAccessReviewVersion", "failurePolicy", "connectionInfo"],
  "matchConditions",
];
