// Apply sets: a parent object names the kinds and namespaces of a set, its members carry the label of the set, and
// members that are no longer applied are deleted. Source: KEP-3659, kubectl/pkg/cmd/apply/applyset.go.
import { createHash } from "node:crypto";
import type { DiscoveredResource } from "@orch/client";
import { isCode, labelsOf, metaOf, namespaceOf } from "@orch/machinery";
import { isObject, type JsonObject, type Vocabulary } from "@orch/schema";
import { CliError } from "../../../process/cli-error";
import { PROGRAM_VERSION } from "../../../process/program-version";
import type { ManifestObject } from "../../../resources/manifests";
import type { Session } from "../../../session/session";
import { clientOf, listed, type Target } from "../targets";
import { isDefinition } from "./stages";

export interface ApplySetOptions {
  /** Such as `shop`, `secret/shop` or `configmap/shop`. */
  readonly reference: string;
  readonly dryRun: "none" | "client" | "server";
}

/** Kinds and namespaces in which a set has members. */
export interface SetScope {
  /** Kinds with their groups, such as `Deployment.apps`. */
  readonly kinds: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
}

const NOTHING: SetScope = { kinds: new Set(), namespaces: new Set() };

export class ApplySet {
  /** The scope when the command began. */
  private former: SetScope = NOTHING;
  private wanted: SetScope = NOTHING;

  private constructor(
    private readonly session: Session,
    private readonly names: Vocabulary,
    private readonly parent: Target,
    private readonly options: ApplySetOptions,
  ) {}

  /** Finds the parent. @throws CliError for a parent of another tool, or of a kind that is not allowed */
  static async open(session: Session, options: ApplySetOptions): Promise<ApplySet> {
    const words = options.reference.split("/");
    const [resource = "", name = ""] = words.length === 1 ? ["secrets", ...words] : words;
    if (name === "" || words.length > 2)
      throw new CliError(`invalid parent reference ${JSON.stringify(options.reference)}: use NAME or RESOURCE/NAME`);
    const type = await (await session.catalog()).forName(resource);
    if (type.namespaced && session.options.namespace === undefined) {
      throw new CliError("namespace is required to use namespace-scoped ApplySet");
    }
    const names = await session.vocabulary();
    const namespace = type.namespaced ? session.namespace : undefined;
    const set = new ApplySet(session, names, { type, namespace, name, object: undefined, source: undefined }, options);
    await set.readParent();
    return set;
  }

  /** Identity of the set, which its members carry. */
  get id(): string {
    const { name, namespace = "", type } = this.parent;
    const hash = createHash("sha256").update([name, namespace, type.kind, type.group].join(".")).digest("base64url");
    return `applyset-${hash}-v1`;
  }

  /** Returns the objects with the label of the set. @throws CliError for objects that have one already */
  labelled(manifests: readonly ManifestObject[]): readonly ManifestObject[] {
    const label = this.names.labels.applysetPartOf;
    return manifests.map(({ object, source }) => {
      if (labelsOf(object)[label] !== undefined) {
        throw new CliError(`${source}: ApplySet label ${JSON.stringify(label)} already set in input data`);
      }
      const metadata = (object["metadata"] ?? {}) as JsonObject;
      const labels = isObject(metadata["labels"]) ? metadata["labels"] : {};
      return { source, object: { ...object, metadata: { ...metadata, labels: { ...labels, [label]: this.id } } } };
    });
  }

  /** Names the kinds and namespaces of the objects in the parent, beside those that it has, before any is applied. */
  async announce(manifests: readonly ManifestObject[]): Promise<void> {
    this.wanted = await this.scopeOf(manifests);
    await this.writeParent(this.scope());
  }

  /** Leaves only the present kinds and namespaces in the parent, after the former members are deleted. */
  async settle(): Promise<void> {
    await this.writeParent(this.wanted);
  }

  /** Returns the members that are not among the applied ones. @param applied UIDs of these */
  async leftMembers(applied: ReadonlySet<string>): Promise<readonly Target[]> {
    const { kinds, namespaces } = this.scope();
    const found: Target[] = [];
    for (const kind of kinds) {
      const type = await this.typeOf(kind);
      const places = type.namespaced ? [...namespaces] : [undefined];
      for (const namespace of places) {
        const client = await clientOf(this.session, { type, namespace });
        const labelSelector = `${this.names.labels.applysetPartOf}=${this.id}`;
        for await (const object of client.all({ labelSelector, part: "metadata", signal: this.session.signal })) {
          const { uid = "" } = metaOf(object);
          if (!applied.has(uid)) found.push(listed(type, object));
        }
      }
    }
    return found;
  }

  /** Returns all kinds and namespaces in which members can be: an interrupted command may have left some in each. */
  private scope(): SetScope {
    const own = this.parent.namespace === undefined ? [] : [this.parent.namespace];
    return {
      kinds: new Set([...this.former.kinds, ...this.wanted.kinds].sort()),
      namespaces: new Set([...this.former.namespaces, ...this.wanted.namespaces, ...own].sort()),
    };
  }

  private async typeOf(kind: string): Promise<DiscoveredResource> {
    const [own = "", ...group] = kind.split(".");
    const all = await (await this.session.catalog()).all();
    const type = all.find((each) => each.kind === own && each.group === group.join("."));
    if (type !== undefined) return type;
    throw new CliError(`the parent of the set names the kind ${kind}, which the server does not have`);
  }

  private async readParent(): Promise<void> {
    const { session, names, parent } = this;
    const client = await clientOf(session, parent);
    const isBuiltIn = parent.type.group === "" && ["secrets", "configmaps"].includes(parent.type.resource);
    if (!isBuiltIn) await this.requireParentType();
    const object = await client.find(parent.name, { signal: session.signal });
    const text = `${parent.type.resource}.${parent.type.group}/${parent.name}`;
    if (object === undefined) {
      if (!isBuiltIn) throw new CliError("custom resource ApplySet parents cannot be created automatically");
      return;
    }
    const { labels = {}, annotations = {} } = metaOf(object);
    const tool = annotations[names.annotations.applysetTooling];
    if (tool === undefined) {
      throw new CliError(
        `ApplySet parent object ${JSON.stringify(text)} already exists and is missing required annotation ${JSON.stringify(names.annotations.applysetTooling)}`,
      );
    }
    const managedBy = tool.slice(0, Math.max(0, tool.lastIndexOf("/"))) || tool;
    if (managedBy !== names.programs.orchctl) {
      throw new CliError(
        `ApplySet parent object ${JSON.stringify(text)} already exists and is managed by tooling ${JSON.stringify(managedBy)} instead of ${JSON.stringify(names.programs.orchctl)}`,
      );
    }
    const id = labels[names.labels.applysetId];
    if (id !== this.id) {
      throw new CliError(
        `ApplySet parent object ${JSON.stringify(text)} exists and has incorrect value for label ${JSON.stringify(names.labels.applysetId)} (got: ${id ?? "none"}, want: ${this.id})`,
      );
    }
    this.former = {
      kinds: new Set(listOf(annotations[names.annotations.applysetContainsGroupKinds])),
      namespaces: new Set(listOf(annotations[names.annotations.applysetAdditionalNamespaces])),
    };
  }

  private async requireParentType(): Promise<void> {
    const { session, names, parent } = this;
    const { resource, group } = parent.type;
    const type = await (await session.catalog()).forName(`customresourcedefinitions.${names.groups.apiextensions}`);
    const client = await clientOf(session, { type, namespace: undefined });
    const definition = await client.find(`${resource}.${group}`, { part: "metadata", signal: session.signal });
    if (definition === undefined || labelsOf(definition)[names.labels.applysetIsParentType] === undefined) {
      throw new CliError(`resource ${JSON.stringify(`${resource}.${group}`)} is not permitted as an ApplySet parent`);
    }
  }

  private async scopeOf(manifests: readonly ManifestObject[]): Promise<SetScope> {
    const kinds = new Set<string>();
    const namespaces = new Set<string>();
    const catalog = await this.session.catalog();
    for (const { object } of manifests) {
      const [group = "", version] = String(object["apiVersion"]).split("/");
      const kind = String(object["kind"]);
      kinds.add(version === undefined ? kind : `${kind}.${group}`);
      const type = await catalog.forKind(String(object["apiVersion"]), kind).catch((error) => {
        const scope = definedScope(manifests, this.names, { group, kind });
        if (scope === undefined) throw error;
        return { namespaced: scope === "Namespaced" };
      });
      if (type.namespaced) namespaces.add(namespaceOf(object) || this.session.namespace);
    }
    return { kinds, namespaces };
  }

  private async writeParent({ kinds, namespaces }: SetScope): Promise<void> {
    const { session, names, parent, options } = this;
    if (options.dryRun === "client") return;
    const { type, name, namespace } = parent;
    const others = [...namespaces].filter((each) => each !== namespace);
    const object: JsonObject = {
      apiVersion: type.group === "" ? type.version : `${type.group}/${type.version}`,
      kind: type.kind,
      metadata: {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        annotations: {
          [names.annotations.applysetTooling]: `${names.programs.orchctl}/v${PROGRAM_VERSION}`,
          [names.annotations.applysetContainsGroupKinds]: [...kinds].sort().join(","),
          [names.annotations.applysetAdditionalNamespaces]: others.sort().join(","),
        },
        labels: { [names.labels.applysetId]: this.id },
      },
    };
    const client = await clientOf(session, parent);
    const fieldManager = `${names.programs.orchctl}-applyset`;
    try {
      await client.apply(object, {
        fieldManager,
        force: true,
        dryRun: options.dryRun === "server",
        signal: session.signal,
      });
    } catch (error) {
      if (!isCode(error, 404)) throw error;
      throw new CliError(`the parent of the set cannot be written: ${(error as Error).message}`);
    }
  }
}

const listOf = (text = ""): string[] => text.split(",").filter((each) => each !== "");

/** Returns the scope of a kind that a definition among the objects defines. */
function definedScope(
  manifests: readonly ManifestObject[],
  names: Vocabulary,
  { group, kind }: { readonly group: string; readonly kind: string },
): string | undefined {
  for (const manifest of manifests) {
    if (!isDefinition(manifest, names)) continue;
    const spec = (manifest.object["spec"] ?? {}) as {
      readonly group?: string;
      readonly scope?: string;
      readonly names?: { readonly kind?: string };
    };
    if (spec.group === group && spec.names?.kind === kind) return spec.scope;
  }
  return undefined;
}
