// Reads which resources another API server of the cluster serves.
import { boundedGet, type ExtensionServer, identityHeaders } from "@orch/extensions";
import { isObject, type JsonObject } from "@orch/schema";
import { discoveredResources } from "../aggregation/remote-resources";
import type { PeerGroup } from "./peer-groups";

const TIMEOUT_MS = 5_000;
const BYTES_MAX = 4 << 20;
const GROUP_VERSIONS_MAX = 2_000;
/** Number of documents that are read at the same time. */
const AT_ONCE = 8;
/** The user of these requests, who may read discovery documents. */
const USER = { name: "system:apiserver", groups: ["system:authenticated"] };

/** Key of a resource in a group version; the group of core is "". */
export const peerResource = (group: string, version: string, resource: string): string =>
  `${group}/${version}/${resource}`;

export interface DiscoveredPeer {
  /** Each as `peerResource`. */
  readonly resources: ReadonlySet<string>;
  /** In the order of the server. */
  readonly groups: readonly PeerGroup[];
}

/**
 * Returns what the server serves.
 * @param headers of each request, names and values alternating
 * @throws Error that names the document that cannot be read
 */
export async function discoverPeer(
  server: ExtensionServer,
  { headers, signal }: { readonly headers: readonly string[]; readonly signal: AbortSignal },
): Promise<DiscoveredPeer> {
  const read = async (path: string): Promise<JsonObject> => {
    const sent = [...headers, "Accept", "application/json", ...identityHeaders(USER)];
    const options = { path, headers: sent, timeoutMs: TIMEOUT_MS, maxBytes: BYTES_MAX, verified: true, signal };
    const { code, body } = await boundedGet(server, options);
    if (code !== 200) throw new Error(`${path} is answered with ${code}`);
    const document: unknown = JSON.parse(body.toString());
    if (!isObject(document as JsonObject)) throw new Error(`${path} is no object`);
    return document as JsonObject;
  };
  const paths = groupVersionPaths(await read("/apis"));
  const resources = new Set<string>();
  const groups = new Map<string, PeerGroup["versions"][number][]>();
  for (let from = 0; from < paths.length; from += AT_ONCE) {
    const documents = await Promise.all(paths.slice(from, from + AT_ONCE).map(read));
    for (const [position, document] of documents.entries()) {
      const [, root, ...parts] = (paths[from + position] ?? "").split("/");
      const [group = "", version = ""] = root === "api" ? ["", ...parts] : parts;
      const found = discoveredResources(document, { group, version });
      for (const { resource } of found) resources.add(peerResource(group, version, resource));
      groups.set(group, [...(groups.get(group) ?? []), { version, resources: found }]);
    }
  }
  return { resources, groups: [...groups].map(([name, versions]) => ({ name, versions })) };
}

function groupVersionPaths({ groups }: JsonObject): readonly string[] {
  const named = listed(groups).flatMap(({ versions }) =>
    listed(versions).map(({ groupVersion }) => `/apis/${String(groupVersion)}`),
  );
  return ["/api/v1", ...named].slice(0, GROUP_VERSIONS_MAX);
}

const listed = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
