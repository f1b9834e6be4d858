// Tests an action that answers with an object of its own, such as a token request.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { builtInResources } from "@orch/apis";
import { nameOf, type ResourceDefinition } from "@orch/machinery";
import { createRegistry, type Registry } from "@orch/registry";
import {
  type ActionHandler,
  type ActionRequest,
  Negotiation,
  RequestContext,
  ResourceRoutes,
  readRequestInfo,
} from "@orch/request";
import { loadSchema, vocabularyOf } from "@orch/schema";
import { openStore, type Store } from "@orch/store";
import { RecordedResponse, transferredRequest } from "../../large-objects/transferred-request";
import type { WriteDeps } from "../handler";
import { createAction } from "./action";

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);
const options = { release: "1.23", eventLifetimeSeconds: 3600, serviceRanges: [], gates: {}, forbidsPrivileged: false };
const URL = "/api/v1/namespaces/default/pods/a/eviction";

let store: Store;
let registry: Registry;
let done: string[];

beforeEach(async () => {
  store = await openStore({ kind: "memory" });
  registry = createRegistry({ store, vocabulary });
  await registry.ready();
  done = [];
});
afterEach(async () => {
  await registry.close();
  await store.close();
});

/** Routes of pods whose eviction answers with a config map, or with the default. */
function routesOf(answersOwn: boolean): ResourceRoutes {
  const resources = builtInResources(vocabulary, schema, options as never);
  const of = (plural: string) => resources.find((each) => each.plural === plural) as ResourceDefinition;
  const [pods, answers] = [of("pods"), of("configmaps").storage];
  const eviction = pods.actions?.["eviction"];
  if (eviction === undefined) throw new Error("pods are not evicted");
  const definition = { ...pods, actions: { eviction: { ...eviction, ...(answersOwn && { answers }) } } };
  const routes = new ResourceRoutes({ enabled: () => true, deprecation: () => undefined });
  const evicted: ActionHandler = async ({ body }) => {
    done.push(nameOf(body));
    return answersOwn
      ? { apiVersion: "v1", kind: "ConfigMap", metadata: { name: nameOf(body) }, data: { token: "t" } }
      : undefined;
  };
  const storage = registry.resource(definition);
  routes.change({ add: [{ kind: "stored", definition, storage, actions: { "pods/eviction": evicted } }] });
  return routes;
}

async function evict(routes: ResourceRoutes, accept: string) {
  const context = new RequestContext(new Negotiation(schema));
  const info = readRequestInfo("POST", URL, routes) as ActionRequest;
  context.info = info;
  context.body = Buffer.from('{"metadata":{"name":"a"}}');
  const request = transferredRequest({ method: "POST", url: URL, headers: { accept }, httpVersionMajor: 1 }, context);
  const response = new RecordedResponse(request);
  await createAction({ vocabulary, routes } as WriteDeps, { request, response: response.seen, info });
  const { code, body, contentType } = await response.answer;
  return { code, contentType, text: Buffer.from(body).toString() };
}

test("it is answered as it is, in the form that the client takes", async () => {
  const routes = routesOf(true);
  const json = await evict(routes, "application/json");
  expect([json.code, JSON.parse(json.text)]).toMatchObject([201, { kind: "ConfigMap", data: { token: "t" } }]);
  const protobuf = await evict(routes, vocabulary.mediaTypes.protobuf);
  expect([protobuf.contentType, protobuf.text]).toEqual([
    vocabulary.mediaTypes.protobuf,
    expect.stringContaining("ConfigMap"),
  ]);
});

test("nothing is done for a client that takes none of its forms", async () => {
  await expect(evict(routesOf(true), "image/png")).rejects.toMatchObject({ code: 406 });
  expect(done).toEqual([]);
});

test("one that has none is told as done", async () => {
  const { code, text } = await evict(routesOf(false), "application/json");
  expect([code, JSON.parse(text)]).toMatchObject([201, { kind: "Status", status: "Success" }]);
});
