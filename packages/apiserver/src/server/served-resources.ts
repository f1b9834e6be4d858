// The resources that this server serves. They come, change and go one way, the built-in ones at the start and all others while it runs:
// their objects are served by the registry, their paths by the routes; discovery, the published schema and the metrics follow those.
import type { GroupResource, ResourceDefinition } from "@orch/machinery";
import type { Registry, ResourceStorage } from "@orch/registry";
import type { ActionHandler } from "../routes/resource-route";
import { PathTakenError, type ResourceRoutes } from "../routes/resource-routes";
import type { ServedResource } from "../routes/served-resource";

export interface ServedResourcesDeps {
  readonly registry: Registry;
  readonly routes: ResourceRoutes;
}

export class ServedResources {
  private readonly byName = new Map<string, ServedResource>();
  /** Told of each resource that has gone, once nobody finds it any more. */
  onRemoved: ((definition: ResourceDefinition) => void) | undefined;

  constructor(private readonly deps: ServedResourcesDeps) {}

  /**
   * Serves definitions, each in the place of what is served of the same resource: requests from here on go by it, those that are under way
   * are finished by what they began with. See `Registry.resource` for the objects, and those who watch.
   * @param actions by resource and sub-resource, `pods/eviction`: one that none is named for is not served
   * @param inLane whether the side lane has them from its start as well
   * @returns in the order of the definitions
   * @throws PathTakenError where a path is another resource's: then nothing has changed
   */
  install(
    definitions: readonly ResourceDefinition[],
    {
      actions = {},
      inLane = false,
    }: { readonly actions?: Readonly<Record<string, ActionHandler>>; readonly inLane?: boolean } = {},
  ): readonly ResourceStorage[] {
    const { registry, routes } = this.deps;
    for (const definition of definitions) this.requireOwn(definition);
    routes.requireFree(definitions);
    const storages = definitions.map((definition) => registry.resource(definition));
    this.serve(
      storages.map((storage) => ({ kind: "stored", definition: storage.definition, storage, actions, inLane })),
    );
    return storages;
  }

  /** What is built in stays what it is. */
  private requireOwn({ isCustom, group, plural }: ResourceDefinition): void {
    const own = this.byName.get(nameOf({ group, plural }))?.definition;
    if (isCustom && own !== undefined && !own.isCustom)
      throw new PathTakenError(`${group}/${plural}`, { group, resource: plural });
  }

  /** Serves what has no objects in the store. @throws PathTakenError as above */
  serve(resources: readonly ServedResource[]): void {
    this.deps.routes.change({ add: resources });
    for (const resource of resources) this.byName.set(nameOf(resource.definition), resource);
  }

  /** Requests from here on are answered 404. The objects stay in the store. */
  remove(resources: readonly GroupResource[]): void {
    const { registry, routes } = this.deps;
    const gone = resources.flatMap(({ group, resource }) => {
      const served = this.byName.get(nameOf({ group, plural: resource }));
      return served === undefined ? [] : [served];
    });
    if (gone.length === 0) return;
    routes.change({ remove: gone.map(({ definition: { group, plural } }) => ({ group, resource: plural })) });
    for (const { kind, definition } of gone) {
      this.byName.delete(nameOf(definition));
      if (kind === "stored") registry.release(definition);
      this.onRemoved?.(definition);
    }
  }

  /** What stores the objects of a resource; undefined where none is served, or nothing of it is stored. */
  find({ group, resource }: GroupResource): ResourceStorage | undefined {
    return this.named(nameOf({ group, plural: resource }));
  }

  /** The same for those who ask for one again and again. @param name `<group>/<resource>` */
  named(name: string): ResourceStorage | undefined {
    const served = this.byName.get(name);
    return served?.kind === "stored" ? served.storage : undefined;
  }

  definitions(): readonly ResourceDefinition[] {
    return [...this.byName.values()].map(({ definition }) => definition);
  }

  /** Of everything that is served from the store at the moment. */
  storages(): readonly ResourceStorage[] {
    const all = [...this.byName.values()];
    return all.flatMap((each) => (each.kind === "stored" && each.storage.computed !== true ? [each.storage] : []));
  }
}

const nameOf = ({ group, plural }: Pick<ResourceDefinition, "group" | "plural">) => `${group}/${plural}`;
