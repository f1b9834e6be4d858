// Registrations (APIService objects) of the group versions that this server serves itself. Source: Kubernetes,
// cmd/kube-apiserver/app/aggregator.go.
import { groupPriority, orderVersions } from "@orch/apis";
import { registrationName, type WantedRegistration } from "@orch/extensions";
import { compareVersionPriority } from "@orch/machinery";
import type { ResourceRoutes } from "@orch/request";
import { groupName, type Vocabulary } from "@orch/schema";

const OF_DEFINITIONS = { groupPriority: 1000, versionPriority: 100 };

/** Version priorities that differ from the default, by group id and version. */
const VERSION_PRIORITY: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  core: { v1: 1 },
  rbac: { v1beta1: 12 },
  scheduling: { v1beta1: 12 },
  admissionregistration: { v1beta1: 12 },
  autoscaling: { v2: 12, v2beta1: 9, v2beta2: 1 },
  discovery: { v1beta1: 12 },
  events: { v1beta1: 5 },
  flowcontrol: { v1beta1: 12 },
  extensions: { v1beta1: 1 },
};

/** Default priorities of other versions: generally available, beta, alpha. */
const BY_STAGE = { ga: 15, beta: 9, alpha: 1 };

/** Rebuilt only when the routes have changed. */
export class ServedRegistrations {
  private made: ReadonlyMap<string, WantedRegistration> = new Map();
  private madeFor = -1;

  constructor(
    private readonly routes: ResourceRoutes,
    private readonly vocabulary: Vocabulary,
  ) {}

  /** Returns the registrations by name. */
  all(): ReadonlyMap<string, WantedRegistration> {
    if (this.madeFor !== this.routes.generation) {
      this.madeFor = this.routes.generation;
      this.made = wantedOf(this.routes, this.vocabulary);
    }
    return this.made;
  }
}

interface Served {
  isCustom: boolean;
  isNew: boolean;
}

function wantedOf(routes: ResourceRoutes, vocabulary: Vocabulary): ReadonlyMap<string, WantedRegistration> {
  const groups = new Map<string, Map<string, Served>>();
  for (const { definition, version } of routes.all()) {
    // The registration group itself is always served.
    if (version.group === vocabulary.groups.apiregistration) continue;
    const versions = groups.get(version.group) ?? new Map<string, Served>();
    groups.set(version.group, versions);
    const served = versions.get(version.version) ?? { isCustom: true, isNew: true };
    served.isCustom &&= definition.isCustom === true;
    served.isNew &&= version.isNew === true;
    versions.set(version.version, served);
  }
  const wanted = new Map<string, WantedRegistration>();
  for (const [group, versions] of groups) {
    const priorities = versionPriorities(group, versions, vocabulary);
    for (const [version, { isCustom }] of versions) {
      const name = registrationName({ group, version });
      const priority = isCustom
        ? OF_DEFINITIONS
        : { groupPriority: groupPriority(vocabulary, group), versionPriority: priorities.get(version) ?? 1 };
      wanted.set(name, { name, group, version, ...priority, automation: isCustom ? "true" : "onstart" });
    }
  }
  return wanted;
}

/** Assigns priorities that reproduce the order of discovery. */
function versionPriorities(
  group: string,
  versions: ReadonlyMap<string, Served>,
  vocabulary: Vocabulary,
): ReadonlyMap<string, number> {
  const ordered = orderVersions(group, [...versions.keys()], (version) => versions.get(version)?.isNew === true);
  const [, own = {}] = Object.entries(VERSION_PRIORITY).find(([id]) => groupName(vocabulary, id) === group) ?? [];
  const priorities = new Map<string, number>();
  let following: { readonly version: string; readonly priority: number } | undefined;
  for (const version of ordered.reverse()) {
    const usual = own[version] ?? usualPriority(version);
    const least =
      following === undefined ? 1 : following.priority + Number(compareVersionPriority(version, following.version) > 0);
    const priority = Math.max(usual, least);
    priorities.set(version, priority);
    following = { version, priority };
  }
  return priorities;
}

function usualPriority(version: string): number {
  const { alpha, beta, ga } = BY_STAGE;
  return version.includes("alpha") ? alpha : version.includes("beta") ? beta : ga;
}
