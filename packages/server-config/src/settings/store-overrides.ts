// Parses `--etcd-servers-overrides`: etcd clusters that hold some resources in place of the main one. Source:
// Kubernetes documentation, "kube-apiserver".
import type { GroupResource } from "@orch/machinery";

/** An additional etcd cluster. */
export interface StoreOverride {
  readonly endpoints: readonly string[];
  /** Not empty. */
  readonly resources: readonly GroupResource[];
}

/**
 * @param texts each `group/resource#url;url`, such as `/events#https://a:2379;https://b:2379`
 * @param servers value of `--etcd-servers`; an override with exactly these has no effect and is left out
 * @returns one entry per cluster in order of appearance, and one message per invalid text
 */
export function readStoreOverrides(
  texts: readonly string[],
  servers: readonly string[],
): { readonly overrides: readonly StoreOverride[]; readonly errors: readonly string[] } {
  const errors: string[] = [];
  const resources = new Map<string, GroupResource[]>();
  const seen = new Set<string>();
  for (const text of texts) {
    const at = `--etcd-servers-overrides: ${JSON.stringify(text)}`;
    const [, group = "", resource = "", urls = ""] = /^([^#/]*)\/([^#/]+)#([^#]+)$/.exec(text) ?? [];
    const endpoints = urls.split(";");
    const wrong = endpoints.find((url) => !/^https?:\/\/[^/\s]+\/?$/.test(url));
    const name = `${group}/${resource}`;
    if (resource === "") errors.push(`${at} is not group/resource#url;url`);
    else if (wrong !== undefined)
      errors.push(`${at} contains ${JSON.stringify(wrong)}, which is not a URL such as https://host:2379`);
    else if (seen.has(name)) errors.push(`${at} contains ${name} twice`);
    else if (!isSame(endpoints, servers)) {
      const key = [...endpoints].sort().join(";");
      resources.set(key, [...(resources.get(key) ?? []), { group, resource }]);
    }
    seen.add(name);
  }
  const overrides = [...resources].map(([key, held]) => ({ endpoints: key.split(";"), resources: held }));
  return { overrides, errors };
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((each) => other.includes(each));
