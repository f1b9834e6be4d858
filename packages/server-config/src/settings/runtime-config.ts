// Enabled API versions and resources: `--runtime-config`. Source: Kubernetes documentation, "kube-apiserver";
// staging/src/k8s.io/apiserver/pkg/server/options/api_enablement.go.
export interface RuntimeConfig {
  enabled(group: string, version: string, resource: string): boolean;
  /** The switch of the resource or of the version itself, without those of classes. */
  named(group: string, version: string, resource: string): boolean | undefined;
  /** One line for each key without effect: a version or a resource that no release has. */
  readonly warnings: readonly string[];
}

/** Whether the server serves a version without the flag. Groups have their published names. */
type EnabledByDefault = (group: string, version: string, resource: string) => boolean;

/** Classes of versions by the form of their names. */
const CLASSES: Readonly<Record<string, (version: string) => boolean>> = {
  "api/all": () => true,
  "api/ga": (version) => /^v\d+$/.test(version),
  "api/beta": (version) => version.includes("beta"),
  "api/alpha": (version) => version.includes("alpha"),
};

/**
 * A more specific key takes precedence: resource, then version, then class.
 * @param pairs pairs of the flag; a bare key holds ""
 * @param known groups by their published names, "" for core; `group/version`; `group/version/resource`
 * @param byDefault for versions that no key names
 * @returns the switches, or one line for each error
 */
export function parseRuntimeConfig(
  pairs: Readonly<Record<string, string>>,
  known: ReadonlySet<string>,
  byDefault: EnabledByDefault,
): RuntimeConfig | readonly string[] {
  const errors: string[] = [];
  const warnings: string[] = [];
  const switches = new Map<string, boolean>();
  for (const [key, text] of Object.entries(pairs)) {
    const on = text === "" || text === "true" ? true : text === "false" ? false : undefined;
    if (on === undefined) errors.push(`--runtime-config: ${key}=${text}: the value must be true or false`);
    const canonical = canonicalKey(key, known);
    if (canonical === undefined) errors.push(`--runtime-config: ${key}: the server has no such group or version`);
    else if (on !== undefined) switches.set(canonical, on);
    // A removed or future version must not keep the server from starting.
    if (canonical !== undefined && !Object.hasOwn(CLASSES, canonical) && !known.has(canonical)) {
      warnings.push(`--runtime-config: ${key} has no effect: the server has no such version or resource`);
    }
  }
  if (switches.size === 1 && switches.get("api/all") === false) {
    errors.push("--runtime-config: api/all=false requires at least one enabled version");
  }
  return errors.length > 0
    ? errors
    : {
        enabled: (group, version, resource) =>
          switchOf(switches, group, version, resource) ?? byDefault(group, version, resource),
        named: (group, version, resource) => namedSwitch(switches, group, version, resource),
        warnings,
      };
}

function switchOf(
  switches: ReadonlyMap<string, boolean>,
  group: string,
  version: string,
  resource: string,
): boolean | undefined {
  const named = namedSwitch(switches, group, version, resource);
  if (named !== undefined) return named;
  let on: boolean | undefined;
  for (const [name, holds] of Object.entries(CLASSES)) if (holds(version)) on = switches.get(name) ?? on;
  return on;
}

const namedSwitch = (switches: ReadonlyMap<string, boolean>, group: string, version: string, resource: string) =>
  switches.get(`${group}/${version}/${resource}`) ?? switches.get(`${group}/${version}`);

/**
 * Returns `<group>/<version>[/<resource>]` with "" for the core group, which is also written `v1` or `api/v1`; classes
 * are unchanged.
 */
function canonicalKey(key: string, knownGroups: ReadonlySet<string>): string | undefined {
  if (Object.hasOwn(CLASSES, key)) return key;
  const parts = key.split("/");
  if (parts[0] === "api") parts.shift();
  if (/^v\d/.test(parts[0] ?? "")) parts.unshift("");
  const [group = "", version = ""] = parts;
  return parts.length <= 3 && version !== "" && knownGroups.has(group) ? parts.join("/") : undefined;
}
