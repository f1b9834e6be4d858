// Objects that the server creates at its start skip the validation of their kinds. These tests validate them.

import { expect, test } from "@jest/globals";
import { copyJson, metaOf } from "@orch/machinery";
import type { Registry, ResourceStorage } from "@orch/registry";
import type { VocabularyName } from "@orch/schema";
import { openStore } from "@orch/store";
import { startWithSeams } from "../start-server";

/** Releases that cover every stored version of these objects. */
const RELEASES = ["1.15", "1.18", "1.20", "1.23", "1.26"];

/** A registry in which every object is created like a client's. */
const byCreates = (made: Registry): Registry => ({
  ...made,
  resource(definition) {
    const storage: ResourceStorage = made.resource(definition);
    return {
      ...storage,
      async seed(object, writer) {
        const { namespace = "" } = metaOf(object);
        await storage.create(copyJson(object), { namespace, name: "" }, { ...writer, dryRun: false, warn() {} });
        return undefined;
      },
    };
  },
});

const UID = /"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"/g;
const TIME = /"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g;
const PREFIX = "/registry/";
/** Objects that differ between servers: one contains the port, the other a generated key and name. */
const OF_ITS_OWN = ["/core/services/", "/core/configmaps/"];

/** Returns the objects that the start has created, by key, as they were created: some have a status by now. */
async function objectsOf(release: string, vocabulary: VocabularyName, registry?: typeof byCreates) {
  const store = await openStore({ kind: "memory" });
  const flags = { "emulated-release": release };
  const server = await startWithSeams({ store, vocabulary, flags }, registry === undefined ? {} : { registry });
  const now = await store.range({ start: PREFIX, end: "/registry0" });
  const created = await Promise.all(
    now.items.map(({ key, createRevision }) => store.range({ start: key, revision: createRevision })),
  );
  await server.stop();
  await store.close();
  return created
    .flatMap(({ items }) => items)
    .filter(({ key }) => !OF_ITS_OWN.some((part) => key.includes(part)))
    .map(({ key, value }) => `${key} ${value.toString().replace(UID, "uid").replace(TIME, "time")}`);
}

test.each(RELEASES)("in %s all of it keeps to the rules", async (release) => {
  expect((await objectsOf(release, "orch", byCreates)).length).toBeGreaterThan(100);
});

test.each<[VocabularyName]>([["orch"], ["kubernetes"]])(
  "with the names of %s it is stored as a create stores it",
  async (name) => {
    const created = await objectsOf("1.22", name, byCreates);
    expect(await objectsOf("1.22", name)).toEqual(created);
    expect(await objectsOf("1.22", name)).toEqual(created);
  },
);
