// The calls of admission for a write, and the outcomes that it receives for each attempt.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type Admission, type AdmissionRequest, copyJson, forbidden, MOST_RECENT } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { openStore, type Store, StoreError } from "@orch/store";
import type { WriteContext } from "../contract/operations";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
import { startRegistry, writing } from "../testing/harness";
import { LaggingStore } from "../testing/lagging-store";
import { widget, widgets, widgetsInV2 } from "../testing/widgets";

const at = { namespace: "default", name: "a" };
const unnamed = { ...at, name: "" };
const noticed = () => {};
const specOf = (object: JsonObject | undefined) => object?.["spec"] as JsonObject;

let store: Store;
let lagging: LaggingStore;
let here: Registry;
/** Another server. */
let there: ResourceStorage;
let other: Registry;
let storage: ResourceStorage;
let plugin: Partial<Admission>;
let told: string[];
let uids: Set<string>;
let annotations: string[];
let fails: StoreError | undefined;

const write = (more: Partial<WriteContext> = {}) =>
  writing({ annotate: (key, value, level) => void annotations.push(`${key}=${value} ${level}`), ...more });

beforeEach(async () => {
  [plugin, told, uids, annotations, fails] = [{}, [], new Set(), [], undefined];
  store = await openStore({ kind: "memory" });
  lagging = new LaggingStore(store);
  const txn: Store["txn"] = (...of) => (fails === undefined ? store.txn(...of) : Promise.reject(fails));
  Object.assign(lagging, { txn });
  const admission: Admission = {
    mutate: (request) => plugin.mutate?.(request),
    validate: (request) => plugin.validate?.(request),
    settled({ operation, attempt, uid }, outcome) {
      uids.add(uid);
      told.push(`${operation} ${attempt} ${outcome}`);
    },
  };
  ({ registry: here } = await startRegistry({ store: lagging, admission }));
  ({ registry: other } = await startRegistry({ store }));
  storage = here.resource(widgets);
  there = other.resource(widgets);
});

afterEach(async () => {
  lagging.letGo();
  await here.close();
  await other.close();
  await store.close();
});

/** Creates a widget of which this server knows only the first state. */
async function behind(): Promise<void> {
  await there.create(widget("a"), unnamed, writing());
  await storage.get(at, MOST_RECENT);
  lagging.hold();
  await there.update(widget("a", { spec: { color: "blue" } }), at, writing());
}

describe("a write that meets another is decided anew, and the try before is told as undone", () => {
  test.each<[string, () => Promise<unknown>, string]>([
    ["an update", () => storage.update(widget("a", { spec: { color: "green" } }), at, write()), "UPDATE"],
    [
      "a patch",
      () => storage.patch({ kind: "merge", body: { spec: { size: 3 } } }, at, { ...write(), noticed }),
      "UPDATE",
    ],
    ["a deletion", () => storage.delete(at, {}, write()), "DELETE"],
  ])("%s", async (_what, carryOut, operation) => {
    await behind();
    await carryOut();
    expect(told).toEqual([`${operation} 1 undone`, `${operation} 2 done`]);
    expect(uids.size).toBe(1);
  });

  test("annotations of the undone attempt are dropped", async () => {
    await behind();
    plugin.validate = (request) => {
      request.annotate("test.example/color", String(specOf(request.oldObject)["color"]));
      request.annotate("test.example/color", "a second value");
      request.annotate("test.example/patch", "{}", "Request");
    };
    await storage.update(widget("a", { spec: { color: "green" } }), at, write());
    expect(annotations).toEqual(["test.example/color=blue Metadata", "test.example/patch={} Request"]);
  });
});

describe("the outcome of a write is reported once", () => {
  const create = (more: Partial<WriteContext> = {}) => storage.create(widget("a"), unnamed, write(more));

  test("when it was carried out", async () => {
    await create();
    await storage.update(widget("a", { spec: { color: "blue" } }), at, write());
    await storage.delete(at, {}, write());
    expect(told).toEqual(["CREATE 1 done", "UPDATE 1 done", "DELETE 1 done"]);
    expect(uids.size).toBe(3);
  });

  test("when it was only tried", async () => {
    await create({ dryRun: true });
    await create();
    told = [];
    await storage.update(widget("a", { spec: { color: "blue" } }), at, write({ dryRun: true }));
    await storage.delete(at, {}, write({ dryRun: true }));
    expect(told).toEqual(["UPDATE 1 undone", "DELETE 1 undone"]);
  });

  test("when it was refused by admission, by the kind's rules, or by what is there", async () => {
    await create();
    told = [];
    await expect(create()).rejects.toMatchObject({ code: 409 });
    const bad = widget("b", { spec: { color: "forbidden" } });
    await expect(storage.create(bad, unnamed, write())).rejects.toMatchObject({ code: 422 });
    plugin.validate = () => {
      throw forbidden({ group: "", resource: "widgets" }, "a", "no");
    };
    await expect(storage.delete(at, {}, write())).rejects.toMatchObject({ code: 403 });
    expect(told).toEqual(["CREATE 1 undone", "CREATE 1 undone", "DELETE 1 undone"]);
  });

  test.each<[StoreError["code"], string]>([
    ["unknownOutcome", "unknown"],
    ["internal", "unknown"],
    ["unavailable", "undone"],
    ["tooLarge", "undone"],
  ])("when the store fails as %s: %s", async (code, outcome) => {
    fails = new StoreError(code, "x");
    await expect(create()).rejects.toThrow();
    fails = undefined;
    await create();
    fails = new StoreError(code, "x");
    await expect(storage.update(widget("a", { spec: { color: "blue" } }), at, write())).rejects.toThrow();
    expect(told).toEqual([`CREATE 1 ${outcome}`, "CREATE 1 done", `UPDATE 1 ${outcome}`]);
  });

  test("when it is an action: by what the action comes to", async () => {
    const action = { ...write(), subresource: { name: "eviction" } };
    const body = { kind: "Eviction", apiVersion: "policy/v1" };
    const kinds: object[] = [];
    plugin.mutate = (request) => {
      kinds.push(request.kind);
      request.object = { ...request.object, seen: true };
    };
    expect(await storage.admitAction(body, at, action, async (admitted) => admitted)).toEqual({ ...body, seen: true });
    await expect(storage.admitAction(body, at, action, () => Promise.reject(new Error("lost")))).rejects.toThrow(
      "lost",
    );
    expect(told).toEqual(["CREATE 1 done", "CREATE 1 unknown"]);
    expect(kinds[0]).toMatchObject({ group: "policy", version: "v1", kind: "Eviction" });
  });
});

test("another object may be put in the place of the one that came", async () => {
  plugin.mutate = (request) => {
    request.object = { ...copyJson(request.object as JsonObject), spec: { color: "put", size: 1 } };
  };
  const seen: unknown[] = [];
  plugin.validate = ({ object }) => void seen.push(specOf(object)["color"]);
  const created = await storage.create(widget("a"), unnamed, write());
  expect(specOf(created.entry.object())["color"]).toBe("put");
  const updated = await storage.update(widget("a", { spec: { color: "blue", size: 2 } }), at, write());
  expect(specOf(updated.entry.object())["color"]).toBe("put");
  const applied = { kind: "apply", force: true, body: widget("b") } as const;
  const made = await storage.patch(applied, { ...at, name: "b" }, { ...write({ manager: "m" }), noticed });
  expect(specOf(made.entry.object())["color"]).toBe("put");
  expect(seen).toEqual(["put", "put", "put"]);
});

test("a request says what its client asked for, and who waits", async () => {
  const seen: Pick<AdmissionRequest, "options" | "pathName" | "dryRun" | "signal">[] = [];
  plugin.mutate = ({ options, pathName, dryRun, signal }) => void seen.push({ options, pathName, dryRun, signal });
  const options = { fieldManager: "me", fieldValidation: "Strict" } as const;
  const { signal } = new AbortController();
  await storage.create(widget("a"), unnamed, write({ options, signal }));
  await storage.update(widget("a", { spec: { color: "blue" } }), at, write({ options, dryRun: true }));
  await storage.patch({ kind: "merge", body: { spec: { size: 3 } } }, at, { ...write(), noticed });
  await storage.delete(at, { propagation: { kind: "policy", policy: "Orphan" } }, write({ pathName: "" }));
  expect(seen).toEqual([
    { options: { kind: "CreateOptions", ...options }, pathName: "", dryRun: false, signal },
    { options: { kind: "UpdateOptions", ...options }, pathName: "a", dryRun: true, signal: expect.anything() },
    {
      options: { kind: "UpdateOptions", fieldManager: "", fieldValidation: "Warn" },
      pathName: "a",
      dryRun: false,
      signal: expect.objectContaining({ aborted: false }),
    },
    {
      options: { kind: "DeleteOptions", propagation: { kind: "policy", policy: "Orphan" } },
      pathName: "",
      dryRun: false,
      signal: expect.anything(),
    },
  ]);
});

describe("admission of a creation may read the stored bytes", () => {
  const judged = async (of: ResourceStorage) => {
    let bytes: Buffer | undefined;
    let changing: unknown = "not asked";
    plugin.mutate = ({ stored }) => {
      changing = stored;
    };
    plugin.validate = ({ stored }) => {
      bytes = stored?.bytes();
    };
    const { entry } = await of.create(widget("a"), unnamed, write());
    return { bytes: bytes?.toString(), changing, stored: entry.stored().toString() };
  };

  test("which are no others than those, and are not there while the object may change", async () => {
    const { bytes, changing, stored } = await judged(storage);
    expect(changing).toBeUndefined();
    expect(bytes).toBe(stored);
  });

  test("unless the object is stored in another shape than it is judged in", async () => {
    const { bytes, changing } = await judged(here.resource(widgetsInV2));
    expect(changing).toBeUndefined();
    expect(bytes).toBeUndefined();
  });
});
