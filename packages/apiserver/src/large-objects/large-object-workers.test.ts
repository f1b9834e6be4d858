import threads from "node:worker_threads";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { openStore, type Store } from "@orch/store";
import { type RunningServer, startServer } from "../server/start-server";
import { type Answer, ApiClient, CONFIG_MAPS } from "../testing/api-client";

const MANY = 3000;
/** More requests than one user may have waiting. */
const TOO_MANY = 16;

let server: RunningServer;
let store: Store;
const clients: ApiClient[] = [];
/** Resumes the transactions of held objects. */
let release: () => void;
let held: () => number;

beforeEach(async () => {
  const memory = await openStore({ kind: "memory" });
  let waiting = 0;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  held = () => waiting;
  const txn: Store["txn"] = async (request, options) => {
    if (request.then.some((step) => "key" in step && String(step.key).includes("/held-"))) {
      waiting += 1;
      await Promise.race([
        gate,
        new Promise((_, reject) => options?.signal?.addEventListener("abort", () => reject(new Error("gone")))),
      ]);
    }
    return memory.txn(request, options);
  };
  store = new Proxy(memory, {
    get(of, name) {
      if (name === "txn") return txn;
      const value: unknown = Reflect.get(of, name);
      return typeof value === "function" ? value.bind(of) : value;
    },
  });
  server = await startServer({ store });
});

afterEach(async () => {
  jest.restoreAllMocks();
  release();
  for (const client of clients.splice(0)) client.close();
  await server.stop();
  await store.close();
});

function clientOf(name: string): ApiClient {
  const client = new ApiClient(server, server.issueClient({ name, groups: ["system:masters"] }));
  clients.push(client);
  return client;
}

const large = (name: string) => ({
  metadata: { name },
  data: Object.fromEntries(Array.from({ length: MANY }, (_, at) => [`k${at}`, ""])),
});

const create = (client: ApiClient, name: string): Promise<Answer> =>
  client.ask("POST", CONFIG_MAPS, { body: large(name) });

async function until(holds: () => boolean): Promise<void> {
  for (let looks = 0; !holds(); looks += 1) {
    if (looks === 5000) throw new Error("what was waited for has not come about");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** @returns the threads that start after this call */
function beginThreads(): readonly threads.Worker[] {
  const { Worker } = threads;
  const begun: threads.Worker[] = [];
  jest.spyOn(threads, "Worker").mockImplementation((...options) => {
    const thread = new Worker(...options);
    begun.push(thread);
    return thread;
  });
  return begun;
}

test("only the user whose large writes fill the queue is rejected; queued writes complete", async () => {
  const [greedy, other] = [clientOf("greedy"), clientOf("other")];
  const codes: number[] = [];
  const asked = Array.from({ length: TOO_MANY }, async (_, at) => {
    const { code } = await create(greedy, `held-${at}`);
    codes.push(code);
  });
  await until(() => codes.length > 0 && held() > 0);
  const others = create(other, "others");
  expect((await greedy.ask("GET", CONFIG_MAPS)).code).toBe(200);
  expect(new Set(codes)).toEqual(new Set([429]));
  release();
  await Promise.all(asked);
  expect(new Set(codes)).toEqual(new Set([201, 429]));
  expect((await others).code).toBe(201);
  const { items } = JSON.parse((await greedy.ask("GET", CONFIG_MAPS)).bytes.toString()) as { items: object[] };
  expect(items.length).toBe(codes.filter((code) => code === 201).length + 1);
});

test("when a worker thread is lost, its writes have an unknown outcome and the next use a new thread", async () => {
  const begun = beginThreads();
  const client = clientOf("someone");
  const asked = ["held-1", "held-2"].map((name) => create(client, name));
  await until(() => held() === 2);
  for (const thread of begun) await thread.terminate();
  for (const { code, headers, text } of await Promise.all(asked)) {
    expect([code, headers["retry-after"], JSON.parse(text).reason]).toEqual([504, undefined, "Timeout"]);
  }
  expect((await create(client, "later")).code).toBe(201);
});
