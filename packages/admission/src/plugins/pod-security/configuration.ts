// Configuration of the PodSecurity plugin: defaults for namespaces without labels, and exemptions. Source: Kubernetes
// documentation, "Enforce Pod Security Standards by Configuring the Built-in Admission Controller".
import { type FieldError, field, label1123Errors, subdomainErrors } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";
import { isLevel, isPolicyVersion, LATEST, LEVEL_RULE, type LevelVersion, VERSION_RULE } from "./level-version";

export interface PodSecurityConfiguration {
  readonly defaults: ModePolicies;
  readonly exemptions: Exemptions;
}

export type Mode = "enforce" | "audit" | "warn";
export const MODES: readonly Mode[] = ["enforce", "audit", "warn"];

/** Level and version of each mode. */
export type ModePolicies = Readonly<Record<Mode, LevelVersion>>;

interface Exemptions {
  readonly usernames: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  readonly runtimeClasses: ReadonlySet<string>;
}

const KIND = "PodSecurityConfiguration";
/** Supported versions; all have the same shape. */
const VERSIONS = ["v1", "v1beta1", "v1alpha1"];
const MEMBERS = ["apiVersion", "kind", "defaults", "exemptions"];
const DEFAULTS = MODES.flatMap((mode) => [mode, `${mode}-version`]);
const EXEMPTIONS: Readonly<Record<keyof Exemptions, (text: string) => readonly string[]>> = {
  usernames: (name) => (name === "" ? ["username must not be empty"] : []),
  namespaces: label1123Errors,
  runtimeClasses: subdomainErrors,
};

/** Reads the configuration. @throws Error that names each invalid field */
export function readConfiguration(
  configuration: JsonValue | undefined,
  { groups }: Vocabulary,
): PodSecurityConfiguration {
  const stated = configuration ?? null;
  if (stated !== null)
    requireKnownKind(
      stated,
      VERSIONS.map((version) => `${groups.podSecurityAdmissionConfig}/${version}`),
    );
  const read = new ConfigurationReader();
  const whole = read.members(stated, "", MEMBERS);
  const defaults = read.members(whole["defaults"], "defaults", DEFAULTS);
  const exemptions = read.members(whole["exemptions"], "exemptions", Object.keys(EXEMPTIONS));
  const policyOf = (mode: Mode): LevelVersion => ({
    level: read.text(defaults, mode, "privileged", isLevel, LEVEL_RULE) as LevelVersion["level"],
    version: read.text(defaults, `${mode}-version`, LATEST, isPolicyVersion, VERSION_RULE),
  });
  const made: PodSecurityConfiguration = {
    defaults: { enforce: policyOf("enforce"), audit: policyOf("audit"), warn: policyOf("warn") },
    exemptions: {
      usernames: read.names(exemptions, "usernames"),
      namespaces: read.names(exemptions, "namespaces"),
      runtimeClasses: read.names(exemptions, "runtimeClasses"),
    },
  };
  const texts = read.errors.map(field.fieldErrorText);
  if (texts.length > 0) throw new Error(texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`);
  return made;
}

function requireKnownKind(stated: JsonValue, apiVersions: readonly string[]): void {
  const { apiVersion, kind } = isObject(stated) ? stated : ({} as JsonObject);
  if (kind === KIND && apiVersions.includes(String(apiVersion))) return;
  throw new Error(`the configuration must be a ${KIND} of ${apiVersions.join(", ")}`);
}

class ConfigurationReader {
  readonly errors: FieldError[] = [];

  /** Returns the members of an object; null means absent. */
  members(value: JsonValue | undefined, path: string, known: readonly string[]): JsonObject {
    if (value === undefined || value === null) return {};
    if (!isObject(value)) {
      this.errors.push(field.invalid(path, value, "must be an object"));
      return {};
    }
    for (const name of Object.keys(value)) {
      if (!known.includes(name)) this.errors.push(field.invalid(pathIn(path, name), value[name], "unknown field"));
    }
    return value;
  }

  text(of: JsonObject, name: string, absent: string, fits: (text: string) => boolean, rule: string): string {
    const value = of[name] ?? "";
    if (value === "") return absent;
    if (typeof value === "string" && fits(value)) return value;
    this.errors.push(field.invalid(`defaults.${name}`, value, rule));
    return absent;
  }

  names(of: JsonObject, name: keyof Exemptions): ReadonlySet<string> {
    const path = `exemptions.${name}`;
    const list = of[name] ?? [];
    const names = new Set<string>();
    if (!Array.isArray(list)) {
      this.errors.push(field.invalid(path, list, "must be a list"));
      return names;
    }
    list.forEach((each, position) => {
      const at = `${path}[${position}]`;
      if (typeof each !== "string") this.errors.push(field.invalid(at, each, "must be a string"));
      else if (names.has(each)) this.errors.push(field.duplicate(at, each));
      else {
        for (const rule of EXEMPTIONS[name](each)) this.errors.push(field.invalid(at, each, rule));
        names.add(each);
      }
    });
    return names;
  }
}

const pathIn = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
