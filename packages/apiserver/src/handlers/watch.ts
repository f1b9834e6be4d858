import {
  BAD_REQUEST_TEXT,
  badRequest,
  type FieldTerm,
  parseWatchOptions,
  requiredValue,
  type WatchOptions,
} from "@orch/machinery";
import type { Watcher } from "@orch/registry";
import { JSON_TYPE } from "../http/answer";
import { byteProtocols, type Handshake, webSocketHandshake } from "../http/web-socket";
import type { RequestContext } from "../pipeline/request-context";
import type { ObjectForm } from "./forms/object-form";
import { type HandlerDeps, NO_QUERY, type ResourceRequest } from "./handler";
import { selectionOf } from "./list";
import type { ResourceRoute } from "./resource-route";
import { warnOfUnreadable } from "./unreadable-warning";
import { answerOutlet, webSocketOutlet } from "./watch-outlet";
import { WatchStream } from "./watch-stream";

export async function watchObjects(deps: HandlerDeps, asked: ResourceRequest): Promise<void> {
  const { request, route, key } = asked;
  const form = deps.forms.for(asked, "stream");
  const handshake = webSocketHandshake(request, asked.response, byteProtocols(deps.vocabulary));
  const options = narrowed(request.context, parseWatchOptions(request.context.info.query ?? NO_QUERY, deps.vocabulary));
  const watcher = await route.storage.watch({
    namespace: key.namespace,
    selection: selectionOf(options, route),
    start: options.start,
    sendInitialEvents: options.sendInitialEvents === true,
    changesOnly: options.sendInitialEvents === false,
    bookmarks: options.allowBookmarks && deps.gates.WatchBookmark,
    timeoutMs: lifetimeMs(options, deps),
    version: route.version,
  });
  warnOfUnreadable(asked);
  openStream(deps, asked, { watcher, form, handshake });
}

function openStream(
  deps: HandlerDeps,
  asked: ResourceRequest,
  {
    watcher,
    form,
    handshake,
  }: { readonly watcher: Watcher; readonly form: ObjectForm; readonly handshake: Handshake | undefined },
): void {
  const { route, response } = asked;
  const { open, events, sizes } = watchMetrics(deps, route);
  open.inc();
  const stream = new WatchStream({
    response,
    watcher,
    form,
    flusher: deps.flusher,
    open: () =>
      handshake === undefined
        ? answerOutlet(response, form.streamType, deps.flusher)
        : webSocketOutlet(response, handshake, form.streamType === JSON_TYPE),
    sent(frames) {
      events.inc(frames.length);
      for (const frame of frames) sizes.observe(frame.length);
    },
    closed: () => open.dec(),
  });
  asked.request.context.stream = stream;
}

/** A path that names an object, `/watch/…/<name>`, selects it as a field selector would. */
function narrowed(context: RequestContext, options: WatchOptions): WatchOptions {
  const { name } = context.info;
  const selected = requiredValue(options.fields, "metadata.name");
  if (name === "" || selected === name) return options;
  if (selected !== undefined) throw badRequest(BAD_REQUEST_TEXT.fieldSelectorName());
  const term: FieldTerm = { field: "metadata.name", operator: "=", value: name };
  return { ...options, fields: [...options.fields, term] };
}

/** Without a wish of the client, between the minimum and twice that, so that clients do not all come back at once. */
function lifetimeMs(options: WatchOptions, deps: HandlerDeps): number {
  const seconds = options.timeoutSeconds ?? deps.minWatchSeconds * (1 + deps.random());
  return Math.round(seconds * 1000);
}

function watchMetrics(deps: HandlerDeps, route: ResourceRoute) {
  let known = metricsOfRoute.get(route);
  if (known === undefined) {
    const { group, version, kind } = route.version;
    const labels = { group, version, kind };
    known = {
      open: deps.metrics.gauge("apiserver_registered_watchers").labels(labels),
      events: deps.metrics.counter("apiserver_watch_events_total").labels(labels),
      sizes: deps.metrics.histogram("apiserver_watch_events_sizes").labels(labels),
    };
    metricsOfRoute.set(route, known);
  }
  return known;
}

interface WatchMetrics {
  readonly open: { inc(): void; dec(): void };
  readonly events: { inc(count: number): void };
  readonly sizes: { observe(bytes: number): void };
}

const metricsOfRoute = new WeakMap<ResourceRoute, WatchMetrics>();
