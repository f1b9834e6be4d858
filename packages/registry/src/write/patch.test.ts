// Patches of all types, and the resulting managedFields.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type Admission, type AdmissionRequest, forbidden } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { openStore } from "@orch/store";
import { ManualClock } from "@orch/testing";
import type { Patch, PatchContext } from "../contract/operations";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
import { startRegistry, writing } from "../testing/harness";
import { LaggingStore } from "../testing/lagging-store";
import { randomNumbers } from "../testing/random";
import { createOne, recolor } from "../testing/sample";
import { widget, widgets } from "../testing/widgets";

const at = { namespace: "default", name: "a" };
const [, , V2 = widgets.storage] = widgets.versions;

let store: LaggingStore;
let registry: Registry;
let storage: ResourceStorage;
let admission: Admission;

beforeEach(async () => {
  store = new LaggingStore(await openStore({ kind: "memory" }));
  admission = { mutate: async () => {}, validate: async () => {} };
  ({ registry } = await startRegistry({
    store,
    admission: {
      mutate: (request) => admission.mutate(request),
      validate: (request) => admission.validate(request),
    },
  }));
  storage = registry.resource(widgets);
});

afterEach(async () => {
  await registry.close();
  await store.close();
});

const patching = (more: Partial<PatchContext> = {}): PatchContext => ({ ...writing(), noticed: () => {}, ...more });
const merge = (body: JsonObject): Patch => ({ kind: "merge", body });
const apply = (body: JsonObject, force = false): Patch => ({ kind: "apply", body, force });
const stored = async () => (await storage.get(at, { kind: "mostRecent" })).object();
const specOf = (object: JsonObject) => object["spec"] as JsonObject;
const ownersOf = (object: JsonObject) =>
  ((object["metadata"] as JsonObject)["managedFields"] ?? []) as readonly JsonObject[];

describe("a patch", () => {
  test("concurrent patches through two servers lose no change", async () => {
    await createOne(storage, "a");
    const other = await startRegistry({ store });
    const servers = [storage, other.registry.resource(widgets)];
    const names = Array.from({ length: 40 }, (_, number) => `n${number}`);
    await Promise.all(
      names.map((name, number) => servers[number % 2]?.patch(merge({ spec: { [name]: "x" } }), at, patching())),
    );
    expect(Object.keys(specOf(await stored()))).toEqual(expect.arrayContaining(names));
    await other.registry.close();
  });

  test("is made to what is stored, also through a server that lags", async () => {
    await createOne(storage, "a");
    const other = await startRegistry({ store });
    store.hold();
    await recolor(other.registry.resource(widgets), "a", "green");
    const { entry } = await storage.patch(merge({ spec: { more: 1 } }), at, patching());
    expect(specOf(entry.object())).toMatchObject({ color: "green", more: 1 });
    store.letGo();
    await other.registry.close();
  });

  test("speaks the version of its request", async () => {
    await createOne(storage, "a");
    const { entry } = await storage.patch(merge({ spec: { colour: "blue" } }), at, patching({ version: V2 }));
    expect(specOf(entry.object())).toEqual({ color: "blue", size: 1 });
    expect(ownersOf(entry.object()).map((owner) => owner["apiVersion"])).toEqual(
      expect.arrayContaining([V2.apiVersion]),
    );
  });

  test("a patch of the status changes nothing else", async () => {
    await createOne(storage, "a");
    const rules = widgets.subresources["status"];
    if (rules === undefined) throw new Error("widgets have a status");
    const subresource = { name: "status", rules };
    const change = merge({ spec: { color: "blue" }, status: { ready: true } });
    const { entry } = await storage.patch(change, at, patching({ subresource }));
    expect(entry.object()).toMatchObject({ spec: { color: "red" }, status: { ready: true } });
    expect(ownersOf(entry.object()).map((owner) => owner["subresource"])).toContain("status");
  });

  test("that leaves no object of the kind is refused, and told what must stay", async () => {
    await createOne(storage, "a");
    await expect(storage.patch(merge({ kind: null }), at, patching())).rejects.toMatchObject({
      reason: "Invalid",
      details: {
        causes: [
          { field: "patch", message: expect.stringMatching(/kind and apiVersion must stay Widget of .*, not "" of/) },
        ],
      },
    });
  });

  test("that breaks a rule of the kind is refused", async () => {
    await createOne(storage, "a");
    const change = merge({ spec: { color: "forbidden" } });
    await expect(storage.patch(change, at, patching())).rejects.toMatchObject({ reason: "Invalid" });
  });
});

describe("an apply", () => {
  test("asks before it creates, and only then", async () => {
    let asked = 0;
    const refusing = patching({
      beforeCreate: () => {
        asked += 1;
        throw forbidden({ group: "", resource: "widgets" }, "a", "not you");
      },
    });
    await expect(storage.patch(apply(widget("a")), at, refusing)).rejects.toMatchObject({ reason: "Forbidden" });
    expect(storage.peek(at)).toBeUndefined();
    await createOne(storage, "a");
    await storage.patch(apply(widget("a")), at, refusing);
    expect(asked).toBe(1);
  });

  test("the same again changes nothing, though it claims what it may not set", async () => {
    const clock = new ManualClock();
    const other = await startRegistry({ store, clock });
    const body = { ...widget("a"), status: { ready: true } };
    const again = async () => {
      clock.advance(60_000);
      const { entry } = await other.registry.resource(widgets).patch(apply(body), at, patching({ manager: "one" }));
      return entry.object();
    };
    const first = await again();
    expect(first).not.toHaveProperty("status");
    expect(await again()).toEqual(first);
    clock.advance(60_000);
    const { entry } = await storage.patch(merge({ spec: { color: "blue" } }), at, patching({ manager: "two" }));
    expect(entry.object()).not.toEqual(first);
    await other.registry.close();
  });

  test("goes through admission as the operation that it is", async () => {
    const seen: string[] = [];
    admission = { ...admission, validate: async ({ operation }: AdmissionRequest) => void seen.push(operation) };
    expect((await storage.patch(apply(widget("a")), at, patching())).created).toBe(true);
    expect((await storage.patch(apply(widget("a")), at, patching())).created).toBe(false);
    expect(seen).toEqual(["CREATE", "UPDATE"]);
  });

  test("applies of different values by two managers conflict, and force wins", async () => {
    await storage.patch(apply(widget("a")), at, patching({ manager: "one" }));
    const other = widget("a", { spec: { color: "blue" } });
    await expect(storage.patch(apply(other), at, patching({ manager: "two" }))).rejects.toMatchObject({
      reason: "Conflict",
      details: { causes: [{ message: 'conflict with "one"', field: ".spec.color" }] },
    });
    const { entry } = await storage.patch(apply(other, true), at, patching({ manager: "two" }));
    expect(specOf(entry.object())["color"]).toBe("blue");
  });
});

describe("changes by admission", () => {
  test("have no field manager", async () => {
    admission = {
      ...admission,
      mutate: async ({ object = {} }) => {
        specOf(object)["injected"] = "yes";
      },
    };
    const { entry } = await storage.create(
      widget("a"),
      { namespace: "default", name: "" },
      writing({ manager: "maker" }),
    );
    expect(specOf(entry.object())).toMatchObject({ injected: "yes" });
    expect(ownersOf(entry.object())).toMatchObject([{ manager: "maker", operation: "Update" }]);
    expect(JSON.stringify(ownersOf(entry.object()))).not.toContain("injected");
  });
});

describe("an object that is too large for the store only by the record of its owners", () => {
  // Distinct random names, which compress badly.
  const random = randomNumbers(7);
  const part = () => Math.floor(random() * 36 ** 6).toString(36);
  const names = Array.from({ length: 50_000 }, () => Array.from({ length: 5 }, part).join(""));
  const spec = Object.fromEntries(names.map((name) => [name, ""]));

  test("is created and changed without that record", async () => {
    const { entry } = await storage.create(widget("a", { spec }), { namespace: "default", name: "" }, writing());
    expect(Object.keys(specOf(entry.object()))).toEqual(expect.arrayContaining(names.slice(0, 3)));
    expect(ownersOf(entry.object())).toEqual([]);
    await storage.patch(merge({ spec: { color: "blue" } }), at, patching());
    expect([specOf(await stored())["color"], ownersOf(await stored())]).toEqual(["blue", []]);
  });

  test("is not applied without its managedFields", async () => {
    const body = { kind: "Widget", apiVersion: "test.example/v1", metadata: { name: "a" }, spec };
    await expect(storage.patch(apply(body), at, patching())).rejects.toMatchObject({ code: 413 });
  });
});
