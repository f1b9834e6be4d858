// The resources that this server serves. Built-in resources at the start and custom ones at run time are added, changed
// and removed in the same way: the registry serves the objects and the route table the paths; discovery, the published
// schema and the metrics follow these.
import type { GroupResource, ResourceDefinition } from "@orch/machinery";
import type { Registry, ResourceStorage } from "@orch/registry";
import { type ActionHandler, PathConflictError, type ResourceRoutes, type ServedResource } from "@orch/request";

export interface ServedResourcesDeps {
  readonly registry: Registry;
  readonly routes: ResourceRoutes;
}

export class ServedResources {
  private readonly byName = new Map<string, ServedResource>();
  /** Called for each removed resource when it can no longer be found. */
  onRemoved: ((definition: ResourceDefinition) => void) | undefined;

  constructor(private readonly deps: ServedResourcesDeps) {}

  /**
   * Serves definitions, each replacing what is served of the same resource. Later requests use the new definition;
   * requests under way finish with the one they began with. See `Registry.resource` for objects and watches.
   * @param actions by resource and subresource, `pods/eviction`: an action without a handler is not served
   * @param inWorkers whether the large-object workers have the definitions from its start
   * @returns storages in the order of the definitions
   * @throws PathConflictError when a path belongs to another resource: nothing is changed then
   */
  install(
    definitions: readonly ResourceDefinition[],
    {
      actions = {},
      inWorkers = false,
    }: { readonly actions?: Readonly<Record<string, ActionHandler>>; readonly inWorkers?: boolean } = {},
  ): readonly ResourceStorage[] {
    const { registry, routes } = this.deps;
    for (const definition of definitions) this.requireOwn(definition);
    routes.requireFree(definitions);
    const storages = definitions.map((definition) => registry.resource(definition));
    this.serve(
      storages.map((storage) => ({ kind: "stored", definition: storage.definition, storage, actions, inWorkers })),
    );
    return storages;
  }

  /** Built-in resources cannot be replaced by custom ones. */
  private requireOwn({ isCustom, group, plural }: ResourceDefinition): void {
    const own = this.byName.get(nameOf({ group, plural }))?.definition;
    if (isCustom && own !== undefined && !own.isCustom)
      throw new PathConflictError(`${group}/${plural}`, { group, resource: plural });
  }

  /** Serves resources without stored objects. @throws PathConflictError as above */
  serve(resources: readonly ServedResource[]): void {
    this.deps.routes.change({ add: resources });
    for (const resource of resources) this.byName.set(nameOf(resource.definition), resource);
  }

  /** Removes resources: later requests are answered 404. The objects stay in the store. */
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

  /** Returns the storage of a resource; undefined when it is not served or not stored. */
  find({ group, resource }: GroupResource): ResourceStorage | undefined {
    return this.named(nameOf({ group, plural: resource }));
  }

  /** Returns the storage of a resource, for frequent callers. @param name `<group>/<resource>` */
  named(name: string): ResourceStorage | undefined {
    const served = this.byName.get(name);
    return served?.kind === "stored" ? served.storage : undefined;
  }

  definitions(): readonly ResourceDefinition[] {
    return [...this.byName.values()].map(({ definition }) => definition);
  }

  /** Returns the storages of all stored resources at this time. */
  storages(): readonly ResourceStorage[] {
    const all = [...this.byName.values()];
    return all.flatMap((each) => (each.kind === "stored" && each.storage.computed !== true ? [each.storage] : []));
  }
}

const nameOf = ({ group, plural }: Pick<ResourceDefinition, "group" | "plural">) => `${group}/${plural}`;
