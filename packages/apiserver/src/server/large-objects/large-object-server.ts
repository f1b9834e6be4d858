// The server of a large-object worker: the same resources, admission and handlers as the main thread's, over its store,
// without a cache.

import { featuresOf } from "@orch/apis";
import type { Attributes } from "@orch/auth";
import type { NetworkAddress } from "@orch/client";
import { serviceUnavailable, type UserInfo } from "@orch/machinery";
import type { Logger, ServerMetrics } from "@orch/observability";
import { bufferOf, ClientGoneError, type EndSignal, type PortPeer } from "@orch/platform";
import { EventLoopYielder } from "@orch/registry";
import {
  AnswerForms,
  knownRepresentation,
  Negotiation,
  preparedFor,
  RequestContext,
  type ResourceRoute,
  readRequestInfo,
  renderFor,
} from "@orch/request";
import { vocabularyOf } from "@orch/schema";
import { conversionWebhooks, otherStores, servicesOf } from "@orch/served-resources";
import { openRemoteServices, workerReaders, workerWebhooks } from "@orch/server-admission";
import { openEgress, settingsOf } from "@orch/server-config";
import { carryOutWrite, isWrite } from "../../handlers/carry-out-write";
import type { WriteDeps } from "../../handlers/handler";
import { requireBearable } from "../../handlers/large-write";
import { portStore } from "../../large-objects/port-store";
import { RecordedResponse, transferredRequest } from "../../large-objects/transferred-request";
import type {
  LargeConversion,
  LargeDeletion,
  LargeRendering,
  LargeRewrite,
  LargeWrite,
  MainThreadCalls,
  WorkerCalls,
  WorkerStart,
} from "../../large-objects/worker-calls";
import { answerFailure } from "../../pipeline/panic-guard";
import { servingCore } from "../serving-core";
import { DefinedResources } from "./defined-resources";

export interface LargeObjectServerParts {
  readonly start: WorkerStart;
  readonly main: PortPeer<MainThreadCalls>;
  readonly metrics: ServerMetrics;
  readonly logger: Logger;
}

export async function largeObjectServer({
  start,
  main,
  metrics,
  logger,
}: LargeObjectServerParts): Promise<WorkerCalls> {
  const { config, configurations } = start;
  const vocabulary = vocabularyOf(start.vocabulary);
  const settings = settingsOf(config, vocabulary);
  const authorizer = { authorize: (attributes: Attributes) => main.call("authorize", attributes) };
  const grants = { heldBy: (user: UserInfo, namespace: string) => main.call("heldBy", { user, namespace }) };
  const guard = { refusal: (at: NetworkAddress) => main.call("dialRefusal", at) };
  const egress = await openEgress({ config, vocabulary, release: settings.release, metrics });
  const { schema, admission, routes, resources, storages } = servingCore({
    config,
    settings,
    configurations,
    remotes: await openRemoteServices({ settings, vocabulary, logger }),
    vocabulary,
    store: portStore(main, 0),
    otherStores: otherStores(
      settings.storeOverrides,
      settings.storeOverrides.map((_, at) => portStore(main, at + 1)),
    ),
    logger,
    metrics,
    follows: false,
    readers: () =>
      workerReaders({
        followedObjects: (asked) => main.call("followedObjects", asked),
        followedObject: (asked) => main.call("followedObject", asked),
        cachedObject: (asked) => main.call("cachedObject", asked),
        objectLabels: (asked) => main.call("objectLabels", asked),
        storedObject: (asked) => main.call("storedObject", asked),
        storedMetadata: (asked) => main.call("storedMetadata", asked),
        allObjects: (asked) => main.call("allObjects", asked),
        mentioningObjects: (asked) => main.call("mentioningObjects", asked),
        objectHeads: (asked) => main.call("objectHeads", asked),
        objectOnce: (asked) => main.call("objectOnce", asked),
        allowanceTaken: (asked) => main.call("allowanceTaken", asked),
        kindsOf: (asked) => main.call("kindsOf", asked),
      }),
    webhooks: workerWebhooks((asked, signal) => main.call("callWebhook", asked, { signal })),
    access: () => ({ authorizer, grants }),
  });
  const negotiation = new Negotiation(schema, settings.gates.CBORServingAndStorage);
  const forms = new AnswerForms({ schema, now: Date.now });
  const deps: WriteDeps = { vocabulary, routes, gates: settings.gates, forms, authorizer, admission };

  const defined = new DefinedResources({
    main,
    resources,
    types: schema,
    features: featuresOf(settings.release, settings.gates),
    vocabulary,
    loop: new EventLoopYielder(),
    converterFor: conversionWebhooks({ resolve: servicesOf(config, storages), guard, egress, vocabulary, metrics }),
  });

  async function write(work: LargeWrite, signal: EndSignal) {
    await defined.have(work.definedBy);
    const context = new RequestContext(negotiation);
    context.id = work.id;
    const info = readRequestInfo(work.method, work.url, routes);
    context.info = info;
    signal.addEventListener("abort", () => context.end.abort());
    if (signal.aborted) context.end.abort();
    context.user = work.user;
    context.body = bufferOf(work.body);
    context.pretty = work.pretty;
    context.tellsChanges = work.tellsChanges;
    context.receivedAt = performance.now();
    context.timeoutMs = work.timeoutMs;
    context.deadline = context.receivedAt + work.timeoutMs;
    for (const warning of work.warnings) context.warn(warning);
    const request = transferredRequest(work, context);
    const response = new RecordedResponse(request);
    request.res = response.seen;
    try {
      requireBearable(context.body);
      if (info.route === undefined || !isWrite(info))
        throw new Error(`${work.url} is not a path of a writable resource`);
      await carryOutWrite(deps, request, response.seen, info);
    } catch (error) {
      answerFailure(logger, request, response.seen, error);
    }
    // The answer may be incomplete, and no client waits for it.
    if (context.end.aborted) throw new ClientGoneError("the request ended");
    return response.answer;
  }

  function routeAt(path: string): ResourceRoute {
    const route = routes.at(path) as ResourceRoute | undefined;
    if (route?.storage === undefined) throw new Error(`no objects are served at ${path}`);
    return route;
  }

  async function remove(
    { route: path, definedBy, key, options, ...write }: LargeDeletion,
    signal: EndSignal,
  ): Promise<void> {
    await defined.have(definedBy);
    const { storage, version } = routeAt(path);
    await storage.delete(key, options, { ...write, version, signal, warn() {} });
  }

  async function rewrite({ route: path, definedBy, key }: LargeRewrite, signal: EndSignal): Promise<boolean> {
    await defined.have(definedBy);
    return (await routeAt(path).storage.rewrite?.(key, { signal })) ?? false;
  }

  async function render({
    route: path,
    definedBy,
    representation,
    indented,
    what,
    ...of
  }: LargeRendering): Promise<unknown> {
    await defined.have(definedBy);
    const route = routeAt(path);
    const entry = route.storage.entryOf(of.path, of.resourceVersion, bufferOf(of.stored));
    await preparedFor(route, [entry], undefined);
    const form = forms.at(route, knownRepresentation(representation), indented);
    return what === "answer" ? renderFor(form, route, entry) : form.item(entry);
  }

  async function convert(
    { route: path, definedBy, to, objects }: LargeConversion,
    signal: EndSignal,
  ): Promise<readonly Uint8Array[]> {
    await defined.have(definedBy);
    const { storage } = routeAt(path);
    const { versions, formerVersions = [] } = storage.definition;
    const version = [...versions, ...formerVersions].find(({ apiVersion }) => apiVersion === to);
    if (version === undefined) throw serviceUnavailable(`${to} is no longer known`);
    const entries = objects.map((each) => storage.entryOf(each.path, each.resourceVersion, bufferOf(each.stored)));
    await storage.prepare?.(entries, version, { signal });
    return entries.map((entry) => entry.json(version));
  }

  return { write, remove, rewrite, convert, render, ping() {} };
}
