// Webhook configurations, policies and bindings of manifest files. They are read at the start, where a fault ends the
// server, and again after changes, where a fault leaves the former ones in force. Source: KEP-5793, "Manifest Based
// Admission Control Config"; staging/src/k8s.io/apiserver/pkg/admission/plugin/manifest.
import { stat } from "node:fs/promises";
import { ConfigurationError, type GroupResource, metaOf, type ResourceDefinition } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { errorFields } from "@orch/platform";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { PluginConfigurations } from "../dependencies/plugin-configurations";
import { type ManifestDirectory, manifestDirectories } from "./manifest-directories";
import { manifestDocuments, manifestFiles, naming } from "./manifest-documents";
import { manifestObject, requirePolicies } from "./manifest-objects";

export interface AdmissionManifestsParts {
  readonly configurations: PluginConfigurations;
  readonly vocabulary: Vocabulary;
  readonly logger: Logger;
  /** Whether the gate is on. */
  readonly isOn: boolean;
  readonly definitions: () => readonly ResourceDefinition[];
}

type Loaded = ReadonlyMap<string, readonly JsonObject[]>;

const NOTHING: readonly JsonObject[] = [];
const LOOK_EVERY_MS = 2_000;

export class AdmissionManifests {
  private readonly directories: readonly ManifestDirectory[];
  /** Objects by plugin, then by plural name. */
  private readonly loaded = new Map<string, Loaded>();
  private readonly hashes = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;
  private seen = "";

  /** @throws ConfigurationError for a directory that cannot be used */
  constructor(private readonly parts: AdmissionManifestsParts) {
    this.directories = manifestDirectories(parts);
  }

  /** Returns the objects of a resource. The list is the same until the files have changed. */
  objects({ group, resource }: GroupResource): readonly JsonObject[] {
    if (this.loaded.size === 0 || group !== this.parts.vocabulary.groups.admissionregistration) return NOTHING;
    for (const objects of this.loaded.values()) {
      const found = objects.get(resource);
      if (found !== undefined) return found;
    }
    return NOTHING;
  }

  /** Reads all directories, and again after each change. @throws ConfigurationError */
  start(): void {
    for (const directory of this.directories) {
      this.load(directory);
      this.parts.logger.info("loaded the manifests of an admission plugin", { ...directory });
    }
    if (this.directories.length > 0) this.lookAgain();
  }

  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private lookAgain(): void {
    this.timer = setTimeout(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  private async look(): Promise<void> {
    const state = await this.stateOfFiles();
    if (this.timer === undefined) return;
    if (state !== this.seen) for (const directory of this.directories) this.reload(directory);
    this.seen = state;
    this.lookAgain();
  }

  /** Returns a text that changes with the files. */
  private async stateOfFiles(): Promise<string> {
    const states = this.directories.map(async ({ directory }) => {
      try {
        const files = manifestFiles(directory);
        const stats = await Promise.all(files.map((file) => stat(file)));
        return stats.map(({ mtimeMs, ino, size }, at) => `${files[at]} ${mtimeMs} ${ino} ${size}`).join("\n");
      } catch (error) {
        return (error as Error).message;
      }
    });
    return (await Promise.all(states)).join("\n\n");
  }

  private reload(directory: ManifestDirectory): void {
    const { logger } = this.parts;
    try {
      if (this.load(directory)) logger.info("reloaded the manifests of an admission plugin", { ...directory });
    } catch (error) {
      const why = { ...directory, ...errorFields(error) };
      logger.error("changed manifests are invalid: the former ones remain in use", why);
    }
  }

  /** @returns whether the content has changed @throws ConfigurationError */
  private load({ plugin, directory, plurals }: ManifestDirectory): boolean {
    const { vocabulary, definitions } = this.parts;
    const { documents, hash } = manifestDocuments(directory, vocabulary);
    if (this.hashes.get(plugin) === hash) return false;
    const objects = new Map<string, JsonObject[]>(plurals.map((plural) => [plural, []]));
    const places = new Map<string, string>();
    for (const { file, object } of documents) {
      const made = naming(file, () =>
        manifestObject(object, { vocabulary, definitions: definitions(), plurals, hash }),
      );
      const place = `${made.plural} ${metaOf(made.object).name}`;
      const before = places.get(place);
      if (before !== undefined) throw new ConfigurationError([`${place} is in ${before} and in ${file}`]);
      places.set(place, file);
      objects.get(made.plural)?.push(made.object);
    }
    for (const list of objects.values()) list.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
    requirePolicies(objects, plurals);
    this.hashes.set(plugin, hash);
    this.loaded.set(plugin, objects);
    return true;
  }
}

const nameOf = (object: JsonObject): string => metaOf(object).name ?? "";
