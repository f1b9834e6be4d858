// Reads which resources another API server of the cluster serves.
import { boundedGet, type ExtensionServer, identityHeaders } from "@orch/extensions";
import { isObject, type JsonObject } from "@orch/schema";

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

/**
 * Returns the resources of the server, each as `peerResource`.
 * @param headers of each request, names and values alternating
 * @throws Error that names the document that cannot be read
 */
export async function discoverPeer(
  server: ExtensionServer,
  { headers, signal }: { readonly headers: readonly string[]; readonly signal: AbortSignal },
): Promise<ReadonlySet<string>> {
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
  const found = new Set<string>();
  for (let from = 0; from < paths.length; from += AT_ONCE) {
    const documents = await Promise.all(paths.slice(from, from + AT_ONCE).map(read));
    for (const [position, document] of documents.entries()) {
      const [, root, ...parts] = (paths[from + position] ?? "").split("/");
      const [group = "", version = ""] = root === "api" ? ["", ...parts] : parts;
      for (const { name } of listed(document["resources"]))
        if (typeof name === "string" && !name.includes("/")) found.add(peerResource(group, version, name));
    }
  }
  return found;
}

function groupVersionPaths({ groups }: JsonObject): readonly string[] {
  const named = listed(groups).flatMap(({ versions }) =>
    listed(versions).map(({ groupVersion }) => `/apis/${String(groupVersion)}`),
  );
  return ["/api/v1", ...named].slice(0, GROUP_VERSIONS_MAX);
}

const listed = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
