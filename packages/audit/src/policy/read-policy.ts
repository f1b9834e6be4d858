// Reads and validates an audit policy file; reports all its errors at once. Source:
// staging/src/k8s.io/apiserver/pkg/apis/audit/validation/validation.go.
import { ConfigurationError, field, readDocument, subdomainErrors } from "@orch/machinery";
import { existsIn, groupNames, isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";
import { AUDIT_LEVELS, type AuditLevel, type AuditStage } from "../event/audit-event";
import { AUDIT_STAGES, type AuditedResources, type AuditPolicy, type AuditRule } from "./audit-policy";

export interface ReadPolicy {
  readonly policy: AuditPolicy;
  /** Unknown fields. */
  readonly warnings: readonly string[];
}

export interface PolicyLanguage {
  readonly vocabulary: Vocabulary;
  /** Release whose policy files are accepted. */
  readonly release: string;
  /** Accepted values of `apiVersion`. */
  readonly versions: readonly string[];
}

const OMITS_MANAGED_FIELDS = { since: "1.23" };
/** Maximum number of reported errors per file. */
const LINES_MAX = 100;

/** @param text YAML or JSON @throws ConfigurationError */
export async function readPolicy(text: string, language: PolicyLanguage): Promise<ReadPolicy> {
  const found = new Findings();
  const value = await readDocument(text, language.vocabulary, (problem) => found.warn(problem));
  const { versions } = language;
  const { apiVersion, kind } = value;
  if (!versions.includes(apiVersion as string)) found.wrong(field.notSupported("apiVersion", apiVersion, versions));
  if (kind !== "Policy") found.wrong(field.notSupported("kind", kind, ["Policy"]));
  if (found.lines.length > 0) throw new ConfigurationError(found.lines);
  const policy = policyOf(value, found, language);
  if (found.lines.length > 0) throw new ConfigurationError(found.lines);
  return { policy, warnings: found.warnings };
}

/** Errors and unknown fields in the order of the file. */
class Findings {
  readonly lines: string[] = [];
  readonly warnings: string[] = [];

  wrong(error: field.FieldError): void {
    this.line(field.fieldErrorText(error));
  }

  typed(path: string, expected: string): void {
    this.line(`${path}: Invalid value: must be ${expected}`);
  }

  warn(text: string): void {
    if (this.warnings.length < LINES_MAX) this.warnings.push(text);
  }

  unknown(owner: JsonObject, path: string, known: readonly string[]): void {
    for (const name of Object.keys(owner)) {
      if (!known.includes(name)) this.warn(`${path === "" ? "" : `${path}.`}${name}: unknown field`);
    }
  }

  private line(text: string): void {
    if (this.lines.length < LINES_MAX) this.lines.push(text);
  }
}

const POLICY_FIELDS = ["apiVersion", "kind", "metadata", "rules", "omitStages"];
const RULE_FIELDS = [
  ...["level", "users", "userGroups", "verbs", "resources", "namespaces"],
  ...["nonResourceURLs", "omitStages"],
];
const MANAGED = "omitManagedFields";

function policyOf(document: JsonObject, found: Findings, { vocabulary, release }: PolicyLanguage): AuditPolicy {
  const mayOmit = existsIn(OMITS_MANAGED_FIELDS, release);
  const more = mayOmit ? [MANAGED] : [];
  found.unknown(document, "", [...POLICY_FIELDS, ...more]);
  const omitStages = stagesOf(document, "", found);
  const omits = mayOmit && booleanOf(document, "", found) === true;
  const rules = listOf(document, "rules", "", found);
  if (rules.length === 0) found.wrong(field.required("rules", "must have at least one rule"));
  return {
    rules: rules.flatMap((rule, at) => {
      const path = `rules[${at}]`;
      if (!isObject(rule)) {
        found.typed(path, "an object");
        return [];
      }
      found.unknown(rule, path, [...RULE_FIELDS, ...more]);
      const own = mayOmit ? booleanOf(rule, path, found) : undefined;
      return [ruleOf(rule, { path, found, vocabulary }, { omitStages, omitManagedFields: own ?? omits })];
    }),
  };
}

interface Place {
  readonly path: string;
  readonly found: Findings;
  readonly vocabulary: Vocabulary;
}

function ruleOf(
  rule: JsonObject,
  { path, found, vocabulary }: Place,
  ofAll: Pick<AuditRule, "omitStages" | "omitManagedFields">,
): AuditRule {
  const texts = (name: string) => textsOf(rule, name, path, found);
  const level = levelOf(rule, path, found);
  const resources = listOf(rule, "resources", path, found).flatMap((each, at) => {
    const named = resourcesOf(each, `${path}.resources[${at}]`, found);
    return groupNames(vocabulary, named.group).map((group) => ({ ...named, group }));
  });
  const namespaces = texts("namespaces");
  const nonResourceURLs = texts("nonResourceURLs");
  for (const [at, url] of nonResourceURLs.entries()) {
    if (!isUrlPattern(url)) {
      const why = "must be '*', or start with '/' and contain '*' only as the last character";
      found.wrong(field.invalid(`${path}.nonResourceURLs[${at}]`, url, why));
    }
  }
  if (nonResourceURLs.length > 0 && resources.length + namespaces.length > 0) {
    const why = "nonResourceURLs and resources or namespaces are mutually exclusive";
    found.wrong(field.invalid(`${path}.nonResourceURLs`, nonResourceURLs, why));
  }
  const said: Omit<AuditRule, "level" | "omitStages" | "omitManagedFields"> = {
    users: texts("users"),
    userGroups: texts("userGroups"),
    verbs: texts("verbs"),
    resources,
    namespaces,
    nonResourceURLs,
  };
  return {
    ...Object.fromEntries(Object.entries(said).filter(([, list]) => list.length > 0)),
    level,
    omitStages: [...new Set([...ofAll.omitStages, ...stagesOf(rule, `${path}.`, found)])],
    omitManagedFields: ofAll.omitManagedFields,
  };
}

function levelOf({ level }: JsonObject, path: string, found: Findings): AuditLevel {
  const known = AUDIT_LEVELS.find((each) => each === level);
  if (known !== undefined) return known;
  const at = `${path}.level`;
  found.wrong(
    level === undefined || level === "" || level === null
      ? field.required(at)
      : field.notSupported(at, level, AUDIT_LEVELS),
  );
  return "None";
}

function resourcesOf(value: JsonValue, path: string, found: Findings): AuditedResources {
  if (!isObject(value)) {
    found.typed(path, "an object");
    return { group: "", resources: [], resourceNames: [] };
  }
  found.unknown(value, path, ["group", "resources", "resourceNames"]);
  const group = value["group"] ?? "";
  if (typeof group !== "string") found.typed(`${path}.group`, "a string");
  else if (group !== "") {
    for (const text of subdomainErrors(group)) found.wrong(field.invalid(`${path}.group`, group, text));
  }
  const resources = textsOf(value, "resources", path, found);
  const resourceNames = textsOf(value, "resourceNames", path, found);
  if (resourceNames.length > 0 && resources.length === 0) {
    const why = "resourceNames requires resources";
    found.wrong(field.invalid(`${path}.resourceNames`, resourceNames, why));
  }
  return { group: String(group), resources, resourceNames };
}

function isUrlPattern(text: string): boolean {
  const star = text.indexOf("*");
  return text === "*" || (text.startsWith("/") && (star === -1 || star === text.length - 1));
}

/** @param prefix path prefix, with its dot */
function stagesOf(owner: JsonObject, prefix: string, found: Findings): AuditStage[] {
  return textsOf(owner, "omitStages", prefix.slice(0, -1), found).flatMap((text, at) => {
    const stage = AUDIT_STAGES.find((each) => each === text);
    if (stage !== undefined) return [stage];
    const why = `is none of ${AUDIT_STAGES.join(", ")}`;
    found.wrong(field.invalid(`${prefix}omitStages[${at}]`, text, why));
    return [];
  });
}

function booleanOf(owner: JsonObject, path: string, found: Findings): boolean | undefined {
  const value = owner[MANAGED] ?? undefined;
  if (value === undefined || typeof value === "boolean") return value;
  found.typed(`${path === "" ? "" : `${path}.`}${MANAGED}`, "true or false");
  return undefined;
}

function textsOf(owner: JsonObject, name: string, path: string, found: Findings): string[] {
  return listOf(owner, name, path, found).flatMap((text, at) => {
    if (typeof text === "string") return [text];
    found.typed(`${path === "" ? "" : `${path}.`}${name}[${at}]`, "a string");
    return [];
  });
}

function listOf(owner: JsonObject, name: string, path: string, found: Findings): readonly JsonValue[] {
  const list = owner[name] ?? [];
  if (Array.isArray(list)) return list;
  found.typed(`${path === "" ? "" : `${path}.`}${name}`, "a list");
  return [];
}
