// Form of an export. A folder holds `export.json` and, for each resource, a folder such as `deployments.apps` with a file
// per object: NAMESPACE/NAME.yaml, or NAME.yaml for objects without namespace. A file holds JSON lines: the head, then
// the objects.
import { createHash } from "node:crypto";
import type { VocabularyName } from "@orch/schema";

export const HEAD_FILE = "export.json";
export const FORMAT = "orch-export";
export const FORMAT_VERSION = 1;

export interface ArchivedKind {
  readonly resource: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly singular: string;
  readonly shortNames: readonly string[];
  /** Number of objects; absent until the resource is exported. */
  objects?: number;
}

export interface ArchiveHead {
  readonly format: typeof FORMAT;
  readonly version: typeof FORMAT_VERSION;
  /** Vocabulary of the names in the objects. */
  readonly vocabulary: VocabularyName;
  /** URL and release of the server. */
  readonly server: string;
  readonly release: string;
  /** Options that chose the objects, to tell whether a repeated export continues this one. */
  readonly selection: string;
  readonly kinds: ArchivedKind[];
}

/** Returns the name of a resource in messages, and of its folder. */
export const kindName = ({ resource, group }: Pick<ArchivedKind, "resource" | "group">): string =>
  group === "" ? resource : `${resource}.${group}`;

/** Longer names of files are not possible on most file systems. */
const FILE_NAME_MAX = 200;

/** Returns the name of an object as the name of a file, different for each name also where case does not matter. */
export function fileName(name: string): string {
  const safe = name.replaceAll(
    /[^a-z0-9._-]|^\./g,
    (character) => `%${Buffer.from(character).toString("hex").toUpperCase()}`,
  );
  if (safe.length <= FILE_NAME_MAX) return safe;
  return `${safe.slice(0, FILE_NAME_MAX)}%${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;
}
