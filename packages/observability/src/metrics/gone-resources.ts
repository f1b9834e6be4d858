// Removes the series of resources that are not served any more, after a delay: scrapers see the last values, and
// requests under way are still counted.
import { type ResourceDefinition, resourceText } from "@orch/machinery";
import type { ServerMetrics } from "./server-metrics";

export interface GoneResourcesDeps {
  readonly metrics: ServerMetrics;
  /** Components that keep data by route path. */
  readonly byRoute: readonly KeptByRoute[];
  /** Whether a resource is served, possibly again. */
  readonly isServed: (definition: ResourceDefinition) => boolean;
}

interface KeptByRoute {
  /** Removes what is kept. @param isGone tells whether a route path is not served any more */
  forget(isGone: (route: string) => boolean): void;
}

/** Longer than the longest request with a time limit, and longer than two scrape intervals. */
const FORGET_AFTER_MS = 150_000;

type Labels = Readonly<Partial<Record<string, string | number>>>;

export class GoneResources {
  /** Resources by name. One that comes and goes many times counts once, with the label values of all its versions. */
  private gone = new Map<string, { readonly last: ResourceDefinition; readonly names: Set<string> }>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly deps: GoneResourcesDeps) {}

  add(definition: ResourceDefinition): void {
    const { group, plural } = definition;
    const name = resourceText({ group, resource: plural });
    const names = this.gone.get(name)?.names ?? new Set();
    for (const each of namesOf(definition)) names.add(each);
    this.gone.set(name, { last: definition, names });
    this.timer ??= setTimeout(() => this.forget(), FORGET_AFTER_MS).unref();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** Removes the data of all resources that are gone and were not served again. */
  forget(): void {
    const { metrics, byRoute, isServed } = this.deps;
    clearTimeout(this.timer);
    this.timer = undefined;
    const gone = [...this.gone.values()].filter(({ last }) => !isServed(last));
    this.gone.clear();
    if (gone.length === 0) return;
    const names = new Set(gone.flatMap((one) => [...one.names]));
    for (const kept of byRoute) kept.forget((route) => names.has(route.split("/", 3).join("/")));
    metrics.forget((labels) => names.has(nameIn(labels)));
  }
}

/** All values that labels may have for the resource. */
function namesOf({ group, plural, versions }: ResourceDefinition): readonly string[] {
  const served = versions.flatMap((each) => [
    `${each.group}/${each.version}/${plural}`,
    `${each.group}/${each.version}/${each.kind}`,
  ]);
  return [resourceText({ group, resource: plural }), `${group}/${plural}`, ...served];
}

function nameIn({ group, version, resource, kind, crd_name }: Labels): string {
  if (crd_name !== undefined) return String(crd_name);
  if (version === undefined && group !== undefined) return `${group}/${resource}`;
  return group === undefined ? String(resource) : `${group}/${version}/${resource ?? kind}`;
}
