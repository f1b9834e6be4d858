// The server that an import writes to: its resources, definitions that it has established, and owners by name.

import type { Client, DiscoveredResource } from "@orch/client";
import { isCode } from "@orch/machinery";
import { isObject, type JsonObject, type Vocabulary, vocabularyOf } from "@orch/schema";
import { metadataOf } from "../../output/server-table";
import { CliError } from "../../process/cli-error";
import { inParallel } from "../../process/in-parallel";
import type { Catalog } from "../../resources/catalog";
import { type ArchivedKind, kindName } from "./archive-form";

const ESTABLISHED_TIMEOUT_MS = 60_000;
const POLL_MS = 200;
const PARALLEL = 8;

export class ImportTarget {
  readonly names: Vocabulary;
  readonly client: Client;
  private types = new Map<string, DiscoveredResource | undefined>();
  private all: readonly DiscoveredResource[] = [];
  private readonly owners = new Map<string, Promise<string | undefined>>();

  constructor(
    private readonly catalog: Catalog,
    private readonly signal: AbortSignal,
  ) {
    this.client = catalog.client;
    this.names = vocabularyOf(catalog.client.vocabulary);
  }

  /** Reads the resources again, such as after definitions were created. */
  async refresh(): Promise<void> {
    this.all = await this.catalog.all({ isFresh: true });
    this.types = new Map();
  }

  /**
   * Returns the resource for objects of an export: in the same version, or else in the preferred one.
   * @param group name of the group in the target
   */
  typeOf(kind: ArchivedKind, group: string): DiscoveredResource | undefined {
    const name = kindName(kind);
    if (!this.types.has(name)) {
      const same = this.all.filter((each) => each.group === group && each.resource === kind.resource);
      this.types.set(name, same.find(({ version }) => version === kind.version) ?? same[0]);
    }
    return this.types.get(name);
  }

  /** Returns a text that differs for each server, also for a new one at the same address. */
  async identity(server: string): Promise<string> {
    const path = `/api/v1/namespaces/${this.names.namespaces.system}`;
    try {
      const { uid } = metadataOf((await this.client.getJson(path)) as JsonObject);
      return `${server} ${String(uid)}`;
    } catch (error) {
      if (isCode(error, 404) || isCode(error, 403)) return server;
      throw error;
    }
  }

  /** Returns the UID of an object that an owner reference names; undefined when there is none. */
  ownerUid(reference: JsonObject, namespace: string | undefined): Promise<string | undefined> {
    const { apiVersion, kind, name } = reference;
    const key = JSON.stringify([apiVersion, kind, name, namespace]);
    const found = this.owners.get(key) ?? this.findOwner(String(apiVersion), String(kind), String(name), namespace);
    this.owners.set(key, found);
    return found;
  }

  private async findOwner(apiVersion: string, kind: string, name: string, namespace: string | undefined) {
    const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] as string) : "";
    const type = this.all.find((each) => each.group === group && each.kind === kind);
    if (type === undefined) return undefined;
    const resource = this.client.resource(type);
    const where = type.namespaced && namespace !== undefined ? resource.namespace(namespace) : resource;
    const owner = await where.find(name, { part: "metadata" });
    return owner === undefined ? undefined : String(metadataOf(owner)["uid"]);
  }

  /** Waits until definitions are established and served. @throws CliError with the first reason when one is not */
  async established(type: DiscoveredResource, definitions: readonly Definition[]): Promise<void> {
    const since = performance.now();
    const isLate = () => performance.now() - since > ESTABLISHED_TIMEOUT_MS;
    await inParallel(definitions, PARALLEL, async ({ name }) => {
      for (;;) {
        const definition = await this.client.resource(type).get(name, { signal: this.signal });
        const conditions = conditionsOf(definition);
        if (conditions.some((each) => each["type"] === "Established" && each["status"] === "True")) return;
        const refused = conditions.find((each) => each["type"] === "NamesAccepted" && each["status"] === "False");
        if (refused !== undefined || isLate()) {
          throw new CliError(
            `the definition ${name} is not established${refused ? `: ${String(refused["message"])}` : ""}`,
          );
        }
        await pause();
      }
    });
    const isServed = ({ group, resource }: Definition) =>
      this.all.some((each) => each.group === group && each.resource === resource);
    for (await this.refresh(); !definitions.every(isServed) && !isLate(); await this.refresh()) await pause();
  }
}

/** A definition of a custom resource. */
export interface Definition {
  readonly name: string;
  readonly group: string;
  readonly resource: string;
}

const pause = () => new Promise((resolve) => setTimeout(resolve, POLL_MS));

function conditionsOf({ status }: JsonObject): readonly JsonObject[] {
  return isObject(status) && Array.isArray(status["conditions"]) ? status["conditions"].filter(isObject) : [];
}
