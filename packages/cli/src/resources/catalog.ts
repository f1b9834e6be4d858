// The resources of a server: its discovery documents, kept on disk so that a command needs one request and not three.
// Source: Kubernetes documentation, "The Kubernetes API", "Discovery API"; the places are those of kubectl's cache.
import {
  type Client,
  type ConnectionSettings,
  type DiscoveredResource,
  type Discovery,
  ResourceMapper,
  readDiscovery,
  UnknownResourceError,
} from "@orch/client";
import { VOCABULARY_NAMES, type VocabularyName, vocabularyOf } from "@orch/schema";
import { CliError } from "../process/cli-error";
import type { GlobalOptions } from "../process/global-options";
import type { Io } from "../process/io";
import { DiscoveryCache } from "./discovery-cache";
import { likelyName } from "./likely-name";

export interface CatalogSource {
  readonly connection: ConnectionSettings;
  readonly options: GlobalOptions;
  readonly io: Io;
  readonly warn: (text: string) => void;
  readonly clientFor: (vocabulary: VocabularyName) => Client;
}

export class Catalog {
  private fresh = false;

  private constructor(
    readonly client: Client,
    private readonly mapper: ResourceMapper,
    private readonly readAgain: () => Promise<void>,
    /** Whether the documents come from the disk and may be outdated. */
    private readonly wasKept: boolean,
    private readonly warn: (text: string) => void,
  ) {}

  static async open({ connection, options, io, warn, clientFor }: CatalogSource): Promise<Catalog> {
    const cache = new DiscoveryCache(connection, { folder: options.cacheDir, environment: io.environment });
    const kept = cache.read(io.now());
    const wanted = options.vocabulary ?? kept?.vocabulary;
    const client = clientFor(wanted ?? "orch");
    let current = kept?.discovery;
    if (current === undefined) {
      current = await readDiscovery(client);
      const vocabulary = options.vocabulary ?? vocabularyIn(current.resources);
      cache.write({ vocabulary, discovery: current });
      if (vocabulary !== client.vocabulary) {
        // The client of the other vocabulary has sent only requests without names of a vocabulary.
        const other = clientFor(vocabulary);
        return Catalog.over(other, { first: current, cache, wasKept: false, warn });
      }
    }
    return Catalog.over(client, { first: current, cache, wasKept: kept !== undefined, warn });
  }

  private static over(
    client: Client,
    {
      first,
      cache,
      wasKept,
      warn,
    }: {
      readonly first: Discovery;
      readonly cache: DiscoveryCache;
      readonly wasKept: boolean;
      readonly warn: (text: string) => void;
    },
  ): Catalog {
    let current = first;
    const mapper = new ResourceMapper(client, { read: () => Promise.resolve(current) });
    const readAgain = async () => {
      current = await readDiscovery(client);
      cache.write({ vocabulary: client.vocabulary, discovery: current });
      mapper.invalidate();
    };
    return new Catalog(client, mapper, readAgain, wasKept, warn);
  }

  /** Returns all resources. @param isFresh reads the documents of the server again */
  async all({ isFresh = false } = {}): Promise<readonly DiscoveredResource[]> {
    if (isFresh) await this.refresh();
    return this.mapper.all();
  }

  /** Returns the group versions whose server does not answer. */
  async failures(): Promise<Discovery["failures"]> {
    return (await this.mapper.discover(Number.POSITIVE_INFINITY)).failures;
  }

  /**
   * Returns the resource of a plural, singular, kind or short name, also with `.group` or `.version.group`. The first
   * letters of a group are enough. Warns of other resources with the same short name.
   */
  async forName(name: string): Promise<DiscoveredResource> {
    const [short = "", ...rest] = name.split(".");
    const group = rest.join(".");
    const resource = await this.found(
      () => this.byName(name, group),
      async () => {
        const likely = likelyName(short, await this.mapper.all());
        const hint = likely === undefined ? "" : ` (did you mean ${JSON.stringify(likely)}?)`;
        const where = group === "" ? "" : ` in group ${JSON.stringify(group)}`;
        return new CliError(`the server doesn't have a resource type ${JSON.stringify(short)}${where}${hint}`);
      },
    );
    if (group === "")
      for (const other of namesakes(resource, name, await this.mapper.all())) {
        this.warn(`short name ${JSON.stringify(name)} could also match lower priority resource ${other}`);
      }
    return resource;
  }

  private async byName(name: string, group: string): Promise<DiscoveredResource> {
    try {
      return await this.mapper.forName(name);
    } catch (error) {
      if (!(error instanceof UnknownResourceError) || group === "") throw error;
      const groups = (await this.mapper.all()).map((each) => each.group).filter((each) => each.startsWith(group));
      const [short = ""] = name.split(".");
      for (const whole of new Set(groups)) {
        try {
          return await this.mapper.forName(`${short}.${whole}`);
        } catch (inGroup) {
          if (!(inGroup instanceof UnknownResourceError)) throw inGroup;
        }
      }
      throw error;
    }
  }

  /** Returns the resource of a kind. */
  forKind(apiVersion: string, kind: string): Promise<DiscoveredResource> {
    return this.found(
      () => this.mapper.forKind(apiVersion, kind),
      async () => {
        const kinds = (await this.mapper.all()).filter((each) => each.kind === kind);
        const served = [
          ...new Set(kinds.map(({ group, version }) => (group === "" ? version : `${group}/${version}`))),
        ];
        const likely = served.length > 0 ? undefined : likelyName(kind, await this.mapper.all());
        const hint =
          served.length > 0
            ? `: the server has ${kind} in ${served.join(", ")}`
            : likely === undefined
              ? ": ensure that its custom resource definition is installed first"
              : ` (did you mean ${JSON.stringify(likely)}?)`;
        return new CliError(
          `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}${hint}`,
        );
      },
    );
  }

  /** Reads the documents of the server again, for example after a definition was created. */
  async refresh(): Promise<void> {
    await this.readAgain();
    this.fresh = true;
  }

  private async found(
    find: () => Promise<DiscoveredResource>,
    failure: () => Promise<CliError>,
  ): Promise<DiscoveredResource> {
    for (;;) {
      try {
        return await find();
      } catch (error) {
        if (!(error instanceof UnknownResourceError)) throw error;
        if (this.fresh || !this.wasKept) throw await failure();
        await this.refresh();
      }
    }
  }
}

/** Returns the other resources that have a short name, which is not a longer name of the one that was found. */
function namesakes(found: DiscoveredResource, name: string, all: readonly DiscoveredResource[]): ReadonlySet<string> {
  const texts = new Set<string>();
  if (found.resource === name || found.singular === name || !found.shortNames.includes(name)) return texts;
  for (const { resource, group, shortNames } of all) {
    if (!shortNames.includes(name) || (resource === found.resource && group === found.group)) continue;
    texts.add(group === "" ? resource : `${resource}.${group}`);
  }
  return texts;
}

/** Returns the vocabulary whose group names the resources have. */
function vocabularyIn(resources: readonly DiscoveredResource[]): VocabularyName {
  const groups = new Set(resources.map(({ group }) => group));
  return VOCABULARY_NAMES.find((name) => groups.has(vocabularyOf(name).groups.rbac)) ?? "kubernetes";
}
