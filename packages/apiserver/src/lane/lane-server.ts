// What the side lane serves with: the same resources, rules and handlers as the main thread's, over its store, without a cache.
import { createAdmissionChain } from "@orch/admission";
import type { Attributes } from "@orch/auth";
import { createRegistry, type Entry } from "@orch/registry";
import { loadSchema, vocabularyOf } from "@orch/schema";
import { settingsOf } from "../flags/settings";
import { Negotiation } from "../handlers/content-negotiation";
import { AnswerForms, shownIn } from "../handlers/forms/answer-forms";
import { PiecePool } from "../handlers/forms/piece-writer";
import type { HandlerDeps } from "../handlers/handler";
import { knownRepresentation } from "../handlers/representation";
import { handleResource } from "../handlers/resource-handler";
import type { ResourceRoute } from "../handlers/resource-route";
import type { Logger } from "../logging/logger";
import { admissionObserver } from "../metrics/admission-timings";
import type { ServerMetrics } from "../metrics/server-metrics";
import { answerFailure } from "../pipeline/panic-guard";
import { RequestContext } from "../pipeline/request-context";
import { parseRequestInfo } from "../pipeline/request-info";
import { admissionWorld } from "../server/admission-world";
import { resourceStorages } from "../server/resource-storages";
import { servedRoutes } from "../server/served-routes";
import { CaughtResponse, laneRequest } from "./lane-exchange";
import type { LaneOffers, LaneRendering, LaneStart, LaneWrite, MainOffers } from "./lane-work";
import type { PortPeer } from "./port-peer";
import { bufferOf, portStore } from "./port-store";

export interface LaneServerParts {
  readonly start: LaneStart;
  readonly main: PortPeer<MainOffers>;
  readonly metrics: ServerMetrics;
  readonly logger: Logger;
}

export function laneServer({ start, main, metrics, logger }: LaneServerParts): LaneOffers {
  const { config } = start;
  const vocabulary = vocabularyOf(start.vocabulary);
  const settings = settingsOf(config, vocabulary);
  const schema = loadSchema(vocabulary);
  const store = portStore(main);
  const admission = createAdmissionChain({
    plugins: settings.plugins,
    world: admissionWorld(vocabulary, () => storages),
    observer: admissionObserver(metrics),
  });
  const registry = createRegistry({
    store,
    vocabulary,
    prefix: config["etcd-prefix"],
    admission,
    log: logger,
    tracksFields: settings.gates.ServerSideApply,
    follows: false,
  });
  const storages = resourceStorages(registry, {
    vocabulary,
    schema,
    release: settings.release,
    eventLifetimeSeconds: Math.ceil(config["event-ttl"] / 1000),
    serviceRanges: settings.serviceRanges,
    gates: settings.gates,
    forbidsPrivileged: !config["allow-privileged"],
  });
  const routes = servedRoutes({
    settings,
    vocabulary,
    schema,
    storages,
    components: { vocabulary, store, timeoutMs: 0, leases: storages.leases, now: Date.now },
  });
  const negotiation = new Negotiation(schema);
  const forms = new AnswerForms({ schema, now: Date.now });
  const deps: HandlerDeps = {
    vocabulary,
    schema,
    metrics,
    routes,
    forms,
    pieces: new PiecePool(),
    authorizer: { authorize: (attributes: Attributes) => main.call("authorize", attributes) },
    tokens: undefined,
    minWatchSeconds: config["min-request-timeout"],
    deleteWorkers: config["delete-collection-workers"],
    gates: settings.gates,
    random: Math.random,
    deprecatedRequest() {},
  } as never;

  async function write(work: LaneWrite, signal: AbortSignal) {
    const context = new RequestContext(negotiation);
    context.id = work.id;
    context.info = parseRequestInfo(work.method, work.url);
    context.route = routes.find(context.info);
    context.user = work.user;
    context.body = bufferOf(work.body);
    context.pretty = work.pretty;
    context.receivedAt = performance.now();
    context.timeoutMs = work.timeoutMs;
    context.deadline = context.receivedAt + work.timeoutMs;
    for (const warning of work.warnings) context.warn(warning);
    const request = laneRequest(work, context);
    const response = new CaughtResponse(request);
    request.res = response.seen;
    try {
      if (context.route === undefined) throw new Error(`${work.url} leads nowhere here`);
      await handleResource(deps, request, response.seen, context.route);
    } catch (error) {
      answerFailure(logger, request, response.seen, error);
    }
    return response.answer;
  }

  function render({ route: path, representation, indented, what, ...of }: LaneRendering): unknown {
    const route = routes.at(path) as ResourceRoute | undefined;
    if (route?.storage === undefined) throw new Error(`no objects are served at ${path}`);
    const entry: Entry = route.storage.entryOf(of.path, of.resourceVersion, bufferOf(of.stored));
    const form = forms.at(route, knownRepresentation(representation), indented);
    return what === "answer" ? shownIn(form, route, entry) : form.item(entry);
  }

  return { write, render, ping() {} };
}
