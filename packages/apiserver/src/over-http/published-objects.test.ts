// Every answer conforms to the published schema: clients of a release reject unknown fields.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { DEFAULT_RELEASES, nextRelease, RELEASE_RANGE } from "@orch/apis";
import type { JsonObject, JsonValue } from "@orch/schema";
import { startServer } from "../server/start-server";
import { type Answer, ApiClient } from "../testing/api-client";

/** One valid object of every kind. */
const SAMPLES = join(__dirname, "../../../apis/testdata/validation");
const samples = new Map<string, JsonObject>();
for (const file of readdirSync(SAMPLES).filter((name) => /^bases\..*json$/.test(name))) {
  for (const object of Object.values(
    JSON.parse(readFileSync(join(SAMPLES, file), "utf8")) as Record<string, JsonObject>,
  )) {
    const kind = String(object["kind"]);
    if (!samples.has(kind)) samples.set(kind, object);
  }
}

/** Releases that change what all objects have. */
const CHANGES = ["1.21", "1.22"];

/** Returns every second release, and those around which the range ends, the defaults or all objects change. */
function releases(): string[] {
  const { first, last } = RELEASE_RANGE;
  const chosen: readonly string[] = [first, last, ...CHANGES, ...Object.values(DEFAULT_RELEASES)];
  const all: string[] = [];
  for (let release: string = first; ; release = nextRelease(release)) {
    if (chosen.includes(release) || Number(release.split(".")[1]) % 2 === 0) all.push(release);
    if (release === last) return all;
  }
}

const objectIn = ({ json }: Answer) => json as unknown as JsonObject;

/** The published schema of a server, queried by object. */
class PublishedModels {
  /** Paths without a model. */
  readonly unknown = new Set<string>();
  private readonly models: JsonObject;
  private readonly byKind = new Map<string, JsonObject>();

  constructor(document: JsonObject) {
    this.models = document["definitions"] as JsonObject;
    for (const model of Object.values(this.models) as JsonObject[]) {
      for (const { group, version, kind } of (model["x-orch-group-version-kind"] ?? []) as Record<string, string>[]) {
        this.byKind.set(`${group === "" ? "" : `${group}/`}${version} ${kind}`, model);
      }
    }
  }

  check(object: JsonObject): void {
    const kind = `${String(object["apiVersion"])} ${String(object["kind"])}`;
    const model = this.byKind.get(kind);
    if (model === undefined) this.unknown.add(kind);
    else this.walk(object, model, kind);
  }

  private walk(value: JsonValue, model: JsonObject, path: string): void {
    const { $ref: reference } = model;
    if (typeof reference === "string") {
      this.walk(value, this.models[reference.slice("#/definitions/".length)] as JsonObject, path);
    } else if (Array.isArray(value)) {
      for (const item of value) this.walk(item, (model["items"] ?? {}) as JsonObject, `${path}[]`);
    } else if (typeof value === "object" && value !== null) {
      const properties = model["properties"] as JsonObject | undefined;
      for (const [name, member] of Object.entries(value)) {
        const inner = properties === undefined ? (model["additionalProperties"] ?? {}) : properties[name];
        if (inner === undefined) this.unknown.add(`${path}.${name}`);
        else this.walk(member, inner as JsonObject, `${path}.${name}`);
      }
    }
  }
}

interface Discovered {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

describe.each(releases())("in release %s", (release) => {
  test("all that is answered is published", async () => {
    const server = await startServer({ flags: { "emulated-release": release, "allow-privileged": true } });
    const admin = new ApiClient(server, server.admin);
    try {
      const models = new PublishedModels(objectIn(await admin.get("/openapi/v2")));
      const ask = async (path: string) => {
        const answer = objectIn(await admin.get(path));
        models.check(answer);
        return answer;
      };
      let marksSubresources = false;
      const groups = (await ask("/apis"))["groups"] as unknown as { versions: { groupVersion: string }[] }[];
      const paths = [
        "/api/v1",
        ...groups.flatMap(({ versions }) => versions.map((each) => `/apis/${each.groupVersion}`)),
      ];
      for (const path of paths) {
        const resources = (await ask(path))["resources"] as unknown as Discovered[];
        for (const resource of resources.filter(({ name }) => !name.includes("/"))) {
          const all = `${path}${resource.namespaced ? "/namespaces/default" : ""}/${resource.name}`;
          const parts = resources.filter(({ name }) => name.startsWith(`${resource.name}/`));
          for (const answer of await lifeOf(admin, all, resource, parts)) {
            models.check(answer);
            marksSubresources ||= JSON.stringify(answer["metadata"] ?? {}).includes('"subresource":"status"');
          }
          if (resource.verbs.includes("list")) await ask(`${path}/${resource.name}`);
        }
      }
      await ask("/api/v1/namespaces/none");
      expect([...models.unknown]).toEqual([]);
      expect(JSON.stringify(await ask("/api/v1/namespaces")).includes("orch.io/metadata.name")).toBe(
        since("1.21", release),
      );
      expect(marksSubresources).toBe(since("1.22", release));
    } finally {
      admin.close();
      await server.stop();
    }
  }, 60_000);
});

const since = (first: string, release: string) => Number(release.split(".")[1]) >= Number(first.split(".")[1]);

/** Creates an object, writes all its subresources and deletes it. @returns every answer that is an API object */
async function lifeOf(
  admin: ApiClient,
  all: string,
  { kind, namespaced, verbs }: Discovered,
  parts: readonly Discovered[],
) {
  const sample = samples.get(kind);
  if (sample === undefined || !verbs.includes("create")) return [];
  const { namespace: _, ...metadata } = sample["metadata"] as JsonObject;
  const { apiVersion: __, ...body } = sample;
  const created = await admin.post(all, {
    ...body,
    metadata: namespaced ? { ...metadata, namespace: "default" } : metadata,
  });
  if (created.code !== 201) return [];
  const answers = [objectIn(created)];
  const one = `${all}/${created.json.metadata.name}`;
  for (const { name } of parts.filter((part) => part.verbs.includes("get") && part.verbs.includes("update"))) {
    const part = `${one}/${name.split("/")[1]}`;
    const read = await admin.get(part);
    if (read.code !== 200) continue;
    const labelled = { ...objectIn(read), metadata: { ...(read.json.metadata as object), labels: { a: "b" } } };
    answers.push(objectIn(read), objectIn(await admin.put(`${part}?fieldManager=parts`, labelled)));
  }
  const whole = await admin.get(one);
  answers.push(objectIn(whole), objectIn(await admin.ask("DELETE", one)));
  return answers;
}
