// The pages /statusz and /flagz of a program: text for people, and JSON or YAML for those who ask for an object. Source:
// staging/src/k8s.io/apiserver/pkg/server/statusz/statusz.go and pkg/server/flagz/flagz.go; KEP-4827 and KEP-4828.
import { compareReleases, type JsonObject, type Vocabulary, yamlText } from "@orch/schema";
import type { AcceptClause } from "../requests/accept-header";

export interface StatusPage {
  readonly kind: "Statusz" | "Flagz";
  /** Name of the program. */
  readonly component: string;
  /** Members of the object after its metadata. */
  readonly members: JsonObject;
  /** Lines of the text after its heading. */
  readonly lines: readonly string[];
}

export interface PageAnswer {
  readonly contentType: string;
  readonly body: string;
  /** Text of a `Warning` header. */
  readonly warning?: string;
}

/** Media types of the pages, for messages about other ones. */
export const PAGE_TYPES: readonly string[] = ["application/json", "application/yaml", "text/plain"];

/**
 * Returns the answer in the form that the client prefers: text unless it asks for an object with the parameters `as`,
 * `v` and `g`.
 * @param accept clauses by preference; none for a client that states no preference
 * @returns undefined when no accepted form exists
 */
export function pageAnswer(
  page: StatusPage,
  accept: readonly AcceptClause[],
  { release, vocabulary }: { readonly release: string; readonly vocabulary: Vocabulary },
): PageAnswer | undefined {
  if (accept.length === 0) return textAnswer(page);
  for (const { type, parameters } of accept) {
    const [as, version = "", group] = [parameters.get("as"), parameters.get("v"), parameters.get("g")];
    if (as === undefined) {
      if (TEXT_RANGES.has(type)) return textAnswer(page);
      continue;
    }
    if (as !== page.kind || group !== vocabulary.groups.config || !isServed(version, release)) continue;
    const format = OBJECT_RANGES[type];
    if (format === undefined) continue;
    return objectAnswer(page, { apiVersion: `${group}/${version}`, format, release });
  }
  return undefined;
}

const TEXT_RANGES: ReadonlySet<string> = new Set(["text/plain", "text/*", "*/*"]);
const OBJECT_RANGES: Readonly<Record<string, "json" | "yaml">> = {
  "application/json": "json",
  "application/yaml": "yaml",
  "application/*": "json",
  "*/*": "json",
};

/** First release of each version of the objects. */
const VERSIONS: Readonly<Record<string, string>> = { v1alpha1: "1.35", v1beta1: "1.36" };

const isServed = (version: string, release: string): boolean =>
  Object.hasOwn(VERSIONS, version) && compareReleases(release, VERSIONS[version] as string) >= 0;

function textAnswer({ kind, component, lines }: StatusPage): PageAnswer {
  const heading = [
    `${component} ${kind.toLowerCase()}`,
    "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.",
  ];
  return { contentType: "text/plain; charset=utf-8", body: `\n${heading.join("\n")}\n\n${lines.join("\n")}\n` };
}

function objectAnswer(
  { kind, component, members }: StatusPage,
  asked: { readonly apiVersion: string; readonly format: "json" | "yaml"; readonly release: string },
): PageAnswer {
  const object = { kind, apiVersion: asked.apiVersion, metadata: { name: component }, ...members };
  const isOld = asked.apiVersion.endsWith("/v1alpha1") && isServed("v1beta1", asked.release);
  return {
    contentType: `application/${asked.format}`,
    body: asked.format === "json" ? `${JSON.stringify(object)}\n` : yamlText(object),
    ...(isOld && {
      warning: `This version of the ${kind.toLowerCase()} endpoint is deprecated. Please use a newer version.`,
    }),
  };
}

export interface ProgramStatus {
  readonly component: string;
  readonly startedAtMs: number;
  readonly nowMs: number;
  /** Version of the JavaScript runtime, as in `/version`. */
  readonly goVersion: string;
  readonly binaryVersion: string;
  /** Release such as `1.36`; undefined for a program that emulates none. */
  readonly emulationVersion: string | undefined;
  /** Paths that the program serves. */
  readonly paths: readonly string[];
}

export function statuszPage(status: ProgramStatus): StatusPage {
  const { component, startedAtMs, nowMs, goVersion, binaryVersion, emulationVersion } = status;
  const started = new Date(startedAtMs);
  const uptimeSeconds = Math.max(0, Math.floor((nowMs - startedAtMs) / 1000));
  const paths = debuggingPaths(status.paths);
  const startTime = started.toISOString().replace(/\.\d+Z$/, "Z");
  return {
    kind: "Statusz",
    component,
    members: {
      ...{ startTime, uptimeSeconds, goVersion, binaryVersion },
      ...(emulationVersion !== undefined && { emulationVersion }),
      paths: [...paths],
    },
    lines: [
      `Started: ${unixDate(started)}`,
      `Up: ${uptimeText(uptimeSeconds)}`,
      `Go version: ${goVersion}`,
      `Binary version: ${binaryVersion}`,
      ...(emulationVersion === undefined ? [] : [`Emulation version: ${emulationVersion}`]),
      `Paths: ${paths.join(" ")}`,
    ],
  };
}

/** Formats a time as `Mon Jan _2 15:04:05 UTC 2006`. */
function unixDate(date: Date): string {
  const [day = "", date2 = "", month = "", year = "", time = ""] = date.toUTCString().replace(",", "").split(" ");
  return `${day} ${month} ${String(Number(date2)).padStart(2)} ${time} UTC ${year}`;
}

function uptimeText(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
}

/** First parts of the paths that are not those of the API. */
function debuggingPaths(paths: readonly string[]): readonly string[] {
  const folders = new Set(paths.map((path) => `/${path.split("/")[1] ?? ""}`));
  return [...folders].filter((folder) => folder !== "/" && !API_FOLDERS.has(folder)).sort();
}

const API_FOLDERS: ReadonlySet<string> = new Set(["/apis", "/api", "/openid", "/openapi", "/.well-known"]);

/** @param flags values by flag name */
export function flagzPage(component: string, flags: Readonly<Record<string, string>>): StatusPage {
  const names = Object.keys(flags).sort();
  return {
    kind: "Flagz",
    component,
    members: { flags: Object.fromEntries(names.map((name) => [name, flags[name] as string])) },
    lines: names.map((name) => `${name}=${flags[name]}`),
  };
}
