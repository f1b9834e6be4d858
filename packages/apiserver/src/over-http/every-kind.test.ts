// Every kind at the releases that change its versions: created, read in every version, updated, applied and deleted
// through each version, and read by the next release, by its storage migration, and after one step back.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { builtInResources, DEFAULT_RELEASES, EVERY_RESOURCE, FIELD_GATES, RELEASE_RANGE } from "@orch/apis";
import { compareReleases, gateStage, type ResourceDefinition, type ServedVersion } from "@orch/machinery";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { openStore, type Store } from "@orch/store";
import { type RunningServer, startServer } from "../server/start-server";
import { type Answer, ApiClient } from "../testing/api-client";
import { sampleOf } from "../testing/sample-objects";

const APPLY = { "content-type": "application/apply-patch+yaml" };
/** Plugins of 1.36: no controller removes the finalizer of pod groups, and their workloads do not exist. */
const GROUP_PLUGINS = ["PodGroupProtection", "PodGroupWorkloadExists"];
/** Objects of some kinds would take part in the admission of others. */
const PLUGINS_OFF = [
  "LimitRanger",
  "MutatingAdmissionWebhook",
  "ResourceQuota",
  "ServiceAccount",
  "StorageObjectInUseProtection",
  "ValidatingAdmissionWebhook",
];
const NAMESPACE = "ns";

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);
const definitionsOf = (release: string) => builtInResources(vocabulary, schema, { release });

const minorOf = (release: string) => Number(release.split(".")[1]);
const { first, last } = RELEASE_RANGE;
const RELEASES = Array.from(
  { length: minorOf(last) - minorOf(first) + 1 },
  (_, place) => `1.${minorOf(first) + place}`,
);

/** Releases that test all kinds. The others test the kinds whose versions they or the next release change. */
const WHOLE: readonly string[] = [first, last, ...Object.values(DEFAULT_RELEASES)];

const versionsIn = (release: string) =>
  new Map(definitionsOf(release).map(({ kind, versions }) => [kind, versions.map((each) => each.apiVersion).join()]));

function testedIn(release: string): readonly ResourceDefinition[] {
  const definitions = definitionsOf(release);
  if (WHOLE.includes(release)) return definitions;
  const minor = minorOf(release);
  const [before, now, after] = [minor - 1, minor, minor + 1].map((each) => versionsIn(`1.${each}`));
  return definitions.filter(({ kind }) => before?.get(kind) !== now?.get(kind) || now?.get(kind) !== after?.get(kind));
}

interface Kept {
  readonly definition: ResourceDefinition;
  readonly name: string;
  /** The object in each version of its release. */
  readonly shown: ReadonlyMap<string, JsonObject>;
}

/** Gates that kinds need in addition to --runtime-config. */
const requiredGates = (release: string): Record<string, boolean> => {
  const required = EVERY_RESOURCE.flatMap(({ requiredGate }) => (requiredGate === undefined ? [] : [requiredGate]));
  const known = required.filter((gate) => gateStage(FIELD_GATES[gate], release) !== undefined);
  return Object.fromEntries(known.map((gate) => [gate, true]));
};

async function under<T>(release: string, store: Store, work: (admin: ApiClient) => Promise<T>): Promise<T> {
  const flags = {
    "emulated-release": release,
    "runtime-config": { "api/all": "true" },
    "feature-gates": requiredGates(release),
    "disable-admission-plugins":
      compareReleases(release, "1.36") < 0 ? PLUGINS_OFF : [...PLUGINS_OFF, ...GROUP_PLUGINS],
    "allow-privileged": true,
  };
  const server: RunningServer = await startServer({ store, flags });
  const admin = new ApiClient(server, server.admin);
  try {
    return await work(admin);
  } finally {
    admin.close();
    await server.stop();
  }
}

function collection({ plural, scope }: ResourceDefinition, { apiVersion }: Pick<ServedVersion, "apiVersion">): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return scope === "Namespaced" ? `${root}/namespaces/${NAMESPACE}/${plural}` : `${root}/${plural}`;
}

const jsonOf = ({ json }: Answer): JsonObject => json as unknown as JsonObject;
const metaOf = ({ metadata }: JsonObject): JsonObject => metadata as JsonObject;

/** Puts a changed object, and tries again after a conflict: the server itself writes the status of some kinds. */
async function rewrite(
  admin: ApiClient,
  path: string,
  change: (object: JsonObject) => JsonObject,
): Promise<readonly [JsonObject, Answer]> {
  for (;;) {
    const object = jsonOf(await admin.get(path));
    const put = await admin.put(path, change(object));
    if (put.code !== 409) return [object, put];
  }
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 10));

/** The object without its metadata: extensions/v1beta1 sets the labels of the template when there are none. */
const members = ({ metadata: _, ...others }: JsonObject): JsonObject => others;

/** The object without what each write and each release may change. */
function content(object: JsonObject): JsonObject {
  const { resourceVersion: _, managedFields: __, generation: ___, ...metadata } = metaOf(object);
  return { ...object, metadata };
}

describe.each(RELEASES)("in %s, every kind that changes", (release) => {
  let store: Store;
  const definitions = testedIn(release);
  const kept: Kept[] = [];
  /** One line for each answer that is not as it should be. */
  const faults: string[] = [];

  function check(where: string, answer: Answer, codes: readonly number[]): boolean {
    if (codes.includes(answer.code)) return true;
    faults.push(`${where}: ${answer.code} ${answer.text.slice(0, 500)}`);
    return false;
  }

  const same = (where: string, found: JsonObject, wanted: JsonObject) => {
    try {
      expect(content(found)).toMatchObject(content(wanted));
    } catch (error) {
      faults.push(`${where}: ${String(error)}`);
    }
  };

  async function read(admin: ApiClient, definition: ResourceDefinition, name: string) {
    const shown = new Map<string, JsonObject>();
    for (const version of definition.versions) {
      const answer = await admin.get(`${collection(definition, version)}/${name}`);
      if (!check(`get ${version.apiVersion} ${definition.kind}`, answer, [200])) continue;
      const object = jsonOf(answer);
      expect([object["kind"], object["apiVersion"]]).toEqual([definition.kind, version.apiVersion]);
      shown.set(version.apiVersion, object);
    }
    return shown;
  }

  async function through(admin: ApiClient, definition: ResourceDefinition, version: ServedVersion): Promise<Kept> {
    const where = `${version.apiVersion} ${definition.kind}`;
    const sample = sampleOf(definition, version);
    const namespaced = definition.scope === "Namespaced" ? { namespace: NAMESPACE } : {};
    const body = { ...sample, metadata: { ...metaOf(sample), ...namespaced } };
    const name = String(metaOf(sample)["name"]);
    const path = `${collection(definition, version)}/${name}`;
    if (!check(`create ${where}`, await admin.post(collection(definition, version), body), [201]))
      return { definition, name, shown: new Map() };
    for (const other of definition.versions) {
      const [object, put] = await rewrite(admin, `${collection(definition, other)}/${name}`, (found) => found);
      // A version may fill in a default that the version of the sample does not have.
      if (check(`put of the ${where} as it is in ${other.apiVersion}`, put, [200]))
        expect([where, members(jsonOf(put))]).toMatchObject([where, members(object)]);
    }
    const [, updated] = await rewrite(admin, path, (found) => {
      const { labels, ...metadata } = metaOf(found);
      return { ...found, metadata: { ...metadata, labels: { ...(labels as JsonObject), put: "yes" } } };
    });
    check(`update ${where}`, updated, [200]);
    const applied = {
      ...{ apiVersion: version.apiVersion, kind: definition.kind },
      metadata: { name, labels: { applied: "yes" } },
    };
    const apply = await admin.ask("PATCH", `${path}?fieldManager=it&force=true`, { headers: APPLY, body: applied });
    // 1.15 has no server-side apply.
    if (release === "1.15") check(`apply ${where}`, apply, [415]);
    else if (check(`apply ${where}`, apply, [200]))
      expect(metaOf(jsonOf(apply))["labels"]).toMatchObject({ put: "yes", applied: "yes" });
    return { definition, name, shown: await read(admin, definition, name) };
  }

  async function remove(admin: ApiClient, { definition, name }: Kept, version: ServedVersion): Promise<void> {
    const path = `${collection(definition, version)}/${name}`;
    const where = `${version.apiVersion} ${definition.kind}`;
    check(
      `delete ${where}`,
      await admin.delete(`${path}?gracePeriodSeconds=0&propagationPolicy=Background`),
      [200, 202],
    );
    // A namespace ends once its controller has emptied it.
    if (definition.kind === "Namespace") return;
    let gone = await admin.get(path);
    // The server deletes the objects of a definition first.
    while (definition.kind === "CustomResourceDefinition" && gone.code === 200) {
      await soon();
      gone = await admin.get(path);
    }
    check(`get of the deleted ${where}`, gone, [404]);
  }

  beforeAll(async () => {
    store = await openStore({ kind: "memory" });
  });
  afterAll(() => store.close());

  test("is created, read in every version, updated, applied and deleted through each", async () => {
    await under(release, store, async (admin) => {
      check("namespace", await admin.post("/api/v1/namespaces", { metadata: { name: NAMESPACE } }), [201]);
      for (const definition of definitions) {
        for (const [place, version] of definition.versions.entries()) {
          const made = await through(admin, definition, version);
          if (place === definition.versions.length - 1) kept.push(made);
          else await remove(admin, made, version);
        }
      }
    });
    expect(faults).toEqual([]);
  });

  test("is read by the next release and migrated, and is the same after one step back", async () => {
    const next = `1.${minorOf(release) + 1}`;
    if (RELEASES.includes(next)) {
      const later = new Map(definitionsOf(next).map((each) => [each.kind, each]));
      await under(next, store, async (admin) => {
        for (const { definition, name, shown } of kept) {
          const served = later.get(definition.kind);
          if (served === undefined) continue;
          const now = await read(admin, served, name);
          for (const [apiVersion, object] of shown) {
            const found = now.get(apiVersion);
            if (found !== undefined) same(`${next} shows ${apiVersion} ${definition.kind}`, found, object);
          }
        }
        check("migration", await admin.post("/debug/migrate?resource=*", ""), [202]);
        for (;;) {
          const { migrations } = JSON.parse((await admin.get("/debug/migrate")).text) as { migrations: JsonObject[] };
          const open = migrations.filter(({ phase }) => phase === "Pending" || phase === "Running");
          if (open.length > 0) {
            await soon();
            continue;
          }
          const failed = migrations.filter(({ phase }) => phase !== "Succeeded");
          expect(failed).toEqual([]);
          break;
        }
      });
      expect(faults).toEqual([]);
    }
    await under(release, store, async (admin) => {
      for (const each of kept) {
        const now = await read(admin, each.definition, each.name);
        for (const [apiVersion, object] of each.shown) {
          const found = now.get(apiVersion);
          if (found !== undefined) same(`after a step back, ${apiVersion} ${each.definition.kind}`, found, object);
        }
        const version = each.definition.versions.at(-1);
        if (version !== undefined) await remove(admin, each, version);
      }
    });
    expect(faults).toEqual([]);
  });
});
