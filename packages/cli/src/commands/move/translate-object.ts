// Translation of objects between the vocabularies: groups, keys of labels and annotations, finalizers, users, signers and
// all other names of the product. Data of ConfigMaps and Secrets, and texts that only mention a name, stay as they are.
import {
  isObject,
  type JsonObject,
  type JsonValue,
  NameTranslation,
  type VocabularyName,
  vocabularyOf,
} from "@orch/schema";

/** Maximum number of different names that the report lists. */
const KEPT_MAX = 200;

/** Members with data of programs, which no vocabulary has named, by kind. */
const OPAQUE: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ["data", "binaryData"],
  Secret: ["data", "stringData"],
};
const ACCESS_KINDS: ReadonlySet<string> = new Set(["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"]);

export class ObjectTranslation {
  /** Names of the source vocabulary that were kept, with the number of their objects. */
  readonly kept = new Map<string, number>();
  private readonly names: NameTranslation;
  private readonly rbac: string;
  private readonly flowcontrol: string;
  private readonly metadataName: string;
  private readonly lastApplied: string;
  private readonly ofObject = new Set<string>();

  constructor(from: VocabularyName, to: VocabularyName) {
    this.names = new NameTranslation(from, to);
    const { groups, labels, annotations } = vocabularyOf(from);
    this.rbac = groups.rbac;
    this.flowcontrol = groups.flowcontrol;
    this.metadataName = labels.metadataName;
    this.lastApplied = annotations.orchctlLastAppliedConfiguration;
  }

  apiVersion(text: string): string {
    return this.names.apiVersion(text);
  }

  group(text: string): string {
    return this.names.group(text);
  }

  /** Returns the object with the names of the target. */
  object(object: JsonObject): JsonObject {
    this.ofObject.clear();
    const translated = this.whole(object);
    for (const name of this.ofObject) {
      const count = this.kept.get(name);
      if (count !== undefined || this.kept.size < KEPT_MAX) this.kept.set(name, (count ?? 0) + 1);
    }
    return translated;
  }

  private whole(object: JsonObject): JsonObject {
    const { apiVersion, kind } = object;
    const opaque = OPAQUE[String(kind)] ?? [];
    const made: JsonObject = {};
    const source = kind === "ClusterTrustBundle" ? this.withBundleName(object) : object;
    for (const [key, value] of Object.entries(source)) {
      made[key] = opaque.includes(key) ? this.noted(value as JsonValue) : this.value(value as JsonValue, key);
    }
    const group = String(apiVersion).split("/")[0];
    if (group === this.rbac && ACCESS_KINDS.has(String(kind))) this.accessNames(made);
    else if (group === this.flowcontrol) this.flowNames(made);
    else if (apiVersion === "v1" && kind === "Namespace") this.rename(made, (name) => this.names.namespace(name));
    return made;
  }

  private value(value: JsonValue, key: string): JsonValue {
    if (typeof value === "string") return this.text(value, key);
    if (Array.isArray(value)) return value.map((each) => this.value(each, key));
    if (!isObject(value)) return value;
    if (key === "labels" || key === "matchLabels") return this.labels(value);
    const made: JsonObject = {};
    for (const [name, member] of Object.entries(value)) {
      const translated = this.key(name);
      if (name === this.lastApplied && typeof member === "string") made[translated] = this.document(member);
      else made[translated] = this.value(member as JsonValue, name);
    }
    if (value["key"] === this.metadataName && Array.isArray(value["values"])) {
      made["values"] = value["values"].map((each) => (typeof each === "string" ? this.names.namespace(each) : each));
    }
    return made;
  }

  private labels(labels: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(labels).map(([key, value]) => [
        this.key(key),
        key === this.metadataName ? this.names.namespace(String(value)) : this.value(value as JsonValue, key),
      ]),
    );
  }

  private key(name: string): string {
    // Keys of field sets: `f:` and the name of a member.
    if (name.startsWith("f:")) return `f:${this.key(name.slice(2))}`;
    return this.notedName(this.names.name(name));
  }

  private text(text: string, key: string): string {
    switch (key) {
      case "apiVersion":
      case "groupVersion":
        return this.notedName(this.names.apiVersion(text));
      case "apiGroup":
      case "apiGroups":
      case "group":
        return this.notedName(this.names.group(text));
      case "namespace":
      case "namespaces":
        return this.names.namespace(text);
      case "finalizers":
        return this.notedName(this.names.finalizer(text));
      case "manager":
        return this.names.fieldManager(text);
      default:
        return this.notedName(this.names.name(text));
    }
  }

  /** Translates an object within an annotation. */
  private document(text: string): string {
    try {
      const parsed: unknown = JSON.parse(text);
      if (isObject(parsed)) return `${JSON.stringify(this.whole(parsed))}\n`;
    } catch {
      // Another text than the annotation should have.
    }
    return this.notedName(text);
  }

  private accessNames(object: JsonObject): void {
    const renamed = (value: unknown) => (typeof value === "string" ? this.names.accessName(value) : value) as JsonValue;
    this.rename(object, (name) => this.names.accessName(name));
    for (const holder of [object["roleRef"], ...listOf(object["subjects"])]) {
      if (isObject(holder) && holder["kind"] !== "ServiceAccount") holder["name"] = renamed(holder["name"]);
    }
    for (const rule of listOf(object["rules"])) {
      if (!isObject(rule) || !Array.isArray(rule["resourceNames"])) continue;
      const areNamespaces = listOf(rule["resources"]).includes("namespaces");
      rule["resourceNames"] = rule["resourceNames"].map((name) =>
        areNamespaces ? this.names.namespace(String(name)) : renamed(name),
      );
    }
  }

  private flowNames(object: JsonObject): void {
    this.rename(object, (name) => this.names.flowSchema(name));
  }

  /** Replaces the name of the signer at the start of the bundle's name, where colons stand for slashes. */
  private withBundleName(bundle: JsonObject): JsonObject {
    const { metadata, spec } = bundle;
    const signer = isObject(spec) ? spec["signerName"] : undefined;
    if (typeof signer !== "string" || !isObject(metadata)) return bundle;
    const start = (name: string) => `${name.replaceAll("/", ":")}:`;
    const name = String(metadata["name"]);
    if (!name.startsWith(start(signer))) return bundle;
    const renamed = start(this.names.name(signer)) + name.slice(start(signer).length);
    return { ...bundle, metadata: { ...metadata, name: renamed } };
  }

  private rename(object: JsonObject, translate: (name: string) => string): void {
    const metadata = object["metadata"];
    if (isObject(metadata) && typeof metadata["name"] === "string") metadata["name"] = translate(metadata["name"]);
  }

  private notedName(text: string): string {
    const name = this.names.mentioned(text);
    if (name !== undefined) this.ofObject.add(name);
    return text;
  }

  /** Notes names in texts that stay as they are. */
  private noted(value: JsonValue): JsonValue {
    if (typeof value === "string") this.notedName(value);
    else if (isObject(value)) for (const each of Object.values(value)) this.noted(each as JsonValue);
    return value;
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
