// The last-used label of token Secrets: one replica writes it, and no request fails when the store does.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { builtInResources } from "@orch/apis";
import type { UsedSecret } from "@orch/auth";
import { MOST_RECENT } from "@orch/machinery";
import { SILENT } from "@orch/observability";
import { createRegistry, type Registry, type ResourceStorage } from "@orch/registry";
import { loadSchema, vocabularyOf } from "@orch/schema";
import { serverWrite } from "@orch/served-resources";
import { openStore, type Store } from "@orch/store";
import { LastUses } from "./last-uses";

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);
const options = { release: "1.26", eventLifetimeSeconds: 3600, serviceRanges: [], gates: {}, forbidsPrivileged: false };
const LABEL = vocabulary.labels.legacyTokenLastUsed;
const KEY = { namespace: "default", name: "robot-token" };

let store: Store;
let registry: Registry;
let secrets: ResourceStorage;
let nowMs: number;
let updates: number;
let failures: number;
let warnings: string[];
let done: number;

beforeEach(async () => {
  [nowMs, updates, failures, warnings, done] = [Date.parse("2026-02-28T23:59:59Z"), 0, 0, [], 0];
  store = await openStore({ kind: "memory" });
  registry = createRegistry({ store, vocabulary });
  const definition = builtInResources(vocabulary, schema, options as never).find(({ plural }) => plural === "secrets");
  if (definition === undefined) throw new Error("there are no secrets");
  const storage = registry.resource(definition);
  secrets = new Proxy(storage, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name !== "update") return typeof member === "function" ? member.bind(target) : member;
      return (...args: Parameters<ResourceStorage["update"]>) => {
        updates += 1;
        if (updates <= failures) return Promise.reject(new Error("the store is away"));
        return target.update(...args);
      };
    },
  });
  await registry.ready();
});
afterEach(async () => {
  await registry.close();
  await store.close();
});

async function keep(lastUsed = ""): Promise<UsedSecret> {
  const labels = lastUsed === "" ? {} : { [LABEL]: lastUsed };
  const object = { kind: "Secret", apiVersion: "v1", metadata: { ...KEY, labels } };
  const { entry } = await secrets.create(object, { ...KEY, name: "" }, serverWrite(secrets, vocabulary));
  return { ...KEY, uid: String(entry.metadata("uid")), lastUsed };
}

const uses = () =>
  new LastUses({
    ...{ storage: secrets, vocabulary, nowMs: () => nowMs },
    logger: { ...SILENT, warn: (text) => void warnings.push(text) },
    async pause() {
      done += 1;
    },
  });

/** Waits until a number of uses are handled, written or not. */
async function seen(count: number): Promise<void> {
  while (done < count) await new Promise((resolve) => setImmediate(resolve));
}

const dayNow = async () => {
  const { labels } = (await secrets.get(KEY, MOST_RECENT)).object()["metadata"] as { labels?: Record<string, string> };
  return labels?.[LABEL];
};

test("a day is written once, however often it is noted, and the next one again", async () => {
  const secret = await keep("2026-01-31");
  const noted = uses();
  noted.note(secret);
  noted.note(secret);
  await seen(1);
  noted.note(secret); // the label has not been seen yet
  expect([await dayNow(), updates]).toEqual(["2026-02-28", 1]);
  nowMs += 1000;
  noted.note({ ...secret, lastUsed: "2026-02-28" });
  await seen(2);
  expect([await dayNow(), updates]).toEqual(["2026-03-01", 2]);
});

test("a use of today, or of a day that another server is already in, is not noted", async () => {
  const noted = uses();
  for (const lastUsed of ["2026-02-28", "2026-03-01"]) noted.note({ ...KEY, uid: "u", lastUsed });
  const secret = await keep("2026-03-01");
  noted.note({ ...secret, lastUsed: "2026-01-31" }); // as the cache still has it
  await seen(1);
  expect([await dayNow(), updates]).toEqual(["2026-03-01", 0]);
});

test("a failed write is logged and repeated at the next use of the token", async () => {
  const secret = await keep();
  failures = 1;
  const noted = uses();
  noted.note(secret);
  await seen(1);
  expect([await dayNow(), warnings.length]).toEqual([undefined, 1]);
  noted.note(secret);
  await seen(2);
  expect(await dayNow()).toBe("2026-02-28");
});

test("a secret of the same name, and none at all, are left as they are", async () => {
  const secret = await keep();
  const noted = uses();
  noted.note({ ...secret, uid: "another" });
  noted.note({ ...secret, uid: "nobody", name: "nobody" });
  await seen(2);
  expect([await dayNow(), updates, warnings]).toEqual([undefined, 0, []]);
});
