import { parseWatchOptions, type WatchOptions } from "@orch/machinery";
import { type Watcher, watchWithin } from "@orch/registry";
import { JSON_TYPE } from "../http/answer";
import { byteProtocols, type Handshake, webSocketHandshake } from "../http/web-socket";
import { NO_QUERY } from "../pipeline/request-info";
import { preparedFor } from "../representations/forms/answer-forms";
import type { ObjectForm } from "../representations/forms/object-form";
import type { ResourceRoute } from "../routes/resource-route";
import type { HandlerDeps, ResourceRequest } from "./handler";
import { isAccessibleOnly, narrowed, selectionOf } from "./list";
import { warnOfUnreadable } from "./unreadable-warning";
import { answerOutlet, webSocketOutlet } from "./watch-outlet";
import { WatchStream } from "./watch-stream";

export async function watchObjects(deps: HandlerDeps, asked: ResourceRequest): Promise<void> {
  const { request, info } = asked;
  const { route, key, query = NO_QUERY } = info;
  const form = deps.forms.for(asked, "stream");
  const handshake = webSocketHandshake(request, asked.response, byteProtocols(deps.vocabulary));
  const options = narrowed(parseWatchOptions(query, deps.vocabulary), key.name);
  const wanted = {
    namespace: key.namespace,
    selection: selectionOf(options, route),
    start: options.start,
    sendInitialEvents: options.sendInitialEvents === true,
    changesOnly: options.sendInitialEvents === false,
    bookmarks: options.allowBookmarks && deps.gates.WatchBookmark,
    timeoutMs: lifetimeMs(options, deps),
    version: route.version,
  };
  const bound = { signal: request.context.end };
  const watcher = await (isAccessibleOnly(info)
    ? watchWithin(
        { storage: route.storage, scope: deps.accessible.of(request.context.user), loop: deps.loop },
        wanted,
        bound,
      )
    : route.storage.watch(wanted, bound));
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
  const { response } = asked;
  const { route } = asked.info;
  const { open, events, sizes } = watchMetrics(deps, route);
  open.inc();
  const stream = new WatchStream({
    response,
    watcher,
    form,
    flusher: deps.flusher,
    ...(route.storage.prepare && {
      prepare: (entries) => preparedFor(route, entries, asked.request.context.end),
    }),
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
