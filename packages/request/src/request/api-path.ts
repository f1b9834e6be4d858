// Parses a path under `/api` or `/apis` by its form alone. The path is split before it is decoded, so that an encoded
// slash separates nothing. Source: staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go.

export interface ApiPath {
  /** "" for `/api`. */
  readonly group: string;
  readonly version: string;
  /** The deprecated verb prefix of the path. */
  readonly prefix: "" | "watch" | "proxy";
  /** Whether the path contains `namespaces/<namespace>/`. */
  readonly inNamespace: boolean;
  /** The namespace; for a Namespace object, its own name. */
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
  /** The rest after the subresource, undecoded, with its slash; "" when there is none. */
  readonly tail: string;
  /** The path before the tail, undecoded. */
  readonly stem: string;
  /**
   * False for paths with segments that are empty, "." or "..", or contain a slash. Proxies on the way may interpret
   * such a path differently, so it is not routed.
   */
  readonly isPlain: boolean;
}

export type PathReading =
  | { readonly kind: "api"; readonly path: ApiPath }
  /** A path that does not name a resource. */
  | { readonly kind: "other" }
  | { readonly kind: "unreadable"; readonly why: string };

/** Segments after a namespace's name that are subresources of the namespace. */
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(["status", "finalize"]);

/** Further ones in the core group, which has no resources of these names. Other groups may have. */
const HISTORY_OF_NAMESPACE: ReadonlySet<string> = new Set(["history", "rollback", "restore"]);

const OTHER: PathReading = { kind: "other" };

/** @param path undecoded, without its query; begins with a slash */
export function readApiPath(path: string): PathReading {
  let start = 1;
  while (path.charCodeAt(start) === SLASH) start += 1;
  const sent = parted(path, start);
  const encoded = path.includes("%");
  const parts = encoded ? decodedAsFarAsPossible(sent) : sent;
  const [prefix] = parts;
  let end = parts.length;
  while (end > 0 && parts[end - 1] === "") end -= 1;
  const versionAt = prefix === "api" ? 1 : prefix === "apis" ? 2 : undefined;
  if (versionAt === undefined || end < versionAt + 2) {
    return encoded && BROKEN_ENCODING.test(path) ? notEncoded(path) : OTHER;
  }
  return readParts(path, { start, encoded, sent, parts, end, versionAt });
}

const SLASH = 0x2f;

/** Splits the rest of the path, in half the time of `split`: every request needs this. */
function parted(path: string, start: number): readonly string[] {
  const parts: string[] = [];
  let from = start;
  for (let slash = path.indexOf("/", from); slash >= 0; slash = path.indexOf("/", from)) {
    parts.push(path.slice(from, slash));
    from = slash + 1;
  }
  parts.push(path.slice(from));
  return parts;
}

interface Parts {
  /** Index of the first segment. */
  readonly start: number;
  /** Whether the path has percent-encoding. */
  readonly encoded: boolean;
  readonly sent: readonly string[];
  /** Decoded segments; undefined for one that cannot be decoded. */
  readonly parts: readonly (string | undefined)[];
  /** Number of segments without empty ones at the end. */
  readonly end: number;
  readonly versionAt: number;
}

function readParts(path: string, { start, encoded, sent, parts, end, versionAt }: Parts): PathReading {
  let at = versionAt + 1;
  const said = parts[at];
  const prefix = said === "watch" || said === "proxy" ? said : "";
  if (prefix !== "") at += 1;
  if (at >= end) {
    return { kind: "unreadable", why: `unable to determine kind and namespace from url, ${path.slice(0, SHOWN)}` };
  }
  let namespace = "";
  let inNamespace = false;
  if (parts[at] === "namespaces" && at + 1 < end) {
    namespace = parts[at + 1] ?? "";
    const further = at + 2 < end ? parts[at + 2] : undefined;
    const isPart =
      NAMESPACE_SUBRESOURCES.has(further ?? "") || (versionAt === 1 && HISTORY_OF_NAMESPACE.has(further ?? ""));
    inNamespace = at + 2 < end && !isPart;
    if (inNamespace) at += 2;
  }
  const last = Math.min(end, at + 3);
  let isPlain = start === 1;
  let stemEnd = start - 1;
  for (let index = 0; index < last; index += 1) {
    const part = parts[index];
    if (part === undefined) return notEncoded(path);
    if (part === "" || part === "." || part === ".." || (encoded && part.includes("/"))) isPlain = false;
    stemEnd += (sent[index] as string).length + 1;
  }
  const tail = path.slice(stemEnd);
  if (encoded && BROKEN_ENCODING.test(tail)) return notEncoded(path);
  return {
    kind: "api",
    path: {
      group: versionAt === 2 ? (parts[1] ?? "") : "",
      version: parts[versionAt] ?? "",
      prefix,
      inNamespace,
      namespace,
      resource: parts[at] ?? "",
      name: (at + 1 < end ? parts[at + 1] : "") ?? "",
      subresource: (at + 2 < end ? parts[at + 2] : "") ?? "",
      tail,
      stem: path.slice(0, stemEnd),
      isPlain,
    },
  };
}

/** Whether nothing but slashes follows the resource in the path. */
export const endsThere = ({ tail }: ApiPath): boolean => tail === "" || /^\/*$/.test(tail);

const BROKEN_ENCODING = /%(?![0-9a-f]{2})/i;
const SHOWN = 200;

const notEncoded = (path: string): PathReading => ({
  kind: "unreadable",
  why: `the path ${JSON.stringify(path.slice(0, SHOWN))} is not percent-encoded UTF-8`,
});

const decodedAsFarAsPossible = (sent: readonly string[]): (string | undefined)[] =>
  sent.map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return undefined;
    }
  });
