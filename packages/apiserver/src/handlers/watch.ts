import { answered, byteProtocols, type Handshake, JSON_TYPE, webSocketHandshake } from "@orch/http-server";
import { parseWatchOptions, type WatchOptions } from "@orch/machinery";
import { type Entry, type Watcher, watchWithin } from "@orch/registry";
import { NO_QUERY, type ObjectForm, preparedFor, type ResourceRoute } from "@orch/request";
import { joinId, letGoOfHead } from "../pipeline/let-go-of-head";
import type { HandlerDeps, ResourceRequest } from "./handler";
import { isAccessibleOnly, narrowed, selectionOf } from "./list";
import { warnOfUnreadable } from "./unreadable-warning";
import { responseSink, webSocketSink } from "./watch-sink";
import { type StreamFigures, WatchStream } from "./watch-stream";

export async function watchObjects(deps: HandlerDeps, asked: ResourceRequest): Promise<void> {
  const { request, info } = asked;
  const { route, key, query = NO_QUERY } = info;
  const form = deps.forms.for(asked, "stream");
  const handshake = webSocketHandshake(request, asked.response, byteProtocols(deps.vocabulary));
  const { loop } = deps;
  const startMs = loop.nowMs;
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
  if (loop.isOverSince(startMs)) await loop.next();
  const bound = { signal: request.context.end };
  const watcher = await (isAccessibleOnly(info)
    ? watchWithin({ storage: route.storage, scope: deps.accessible.of(request.context.user), loop }, wanted, bound)
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
  const { request, response } = asked;
  const { context } = request;
  const { route } = asked.info;
  // The client left while the watch was created.
  if (answered(response)) {
    watcher.close();
    return;
  }
  const figures = watchFigures(deps, route);
  figures.opened();
  const of = {
    end: context.end,
    watcher,
    form,
    flusher: deps.flusher,
    figures,
    ...(route.storage.prepare && {
      prepare: (entries: readonly Entry[]) => preparedFor(route, entries, context.end),
    }),
  };
  joinId(context);
  context.stream = new WatchStream(of, () =>
    handshake === undefined
      ? responseSink(response, form.streamType, deps.flusher)
      : webSocketSink(response, handshake, form.streamType === JSON_TYPE),
  );
  letGoOfHead(request);
}

/**
 * Without a timeout of the client, a random time between the minimum and twice that, so that clients do not reconnect
 * all at once.
 */
function lifetimeMs(options: WatchOptions, deps: HandlerDeps): number {
  const seconds = options.timeoutSeconds ?? deps.minWatchSeconds * (1 + deps.random());
  return Math.round(seconds * 1000);
}

function watchFigures(deps: HandlerDeps, route: ResourceRoute): WatchFigures {
  let known = figuresOfRoute.get(route);
  if (known === undefined) {
    known = new WatchFigures(deps, route);
    figuresOfRoute.set(route, known);
  }
  return known;
}

const figuresOfRoute = new WeakMap<ResourceRoute, WatchFigures>();

/** Metrics of the watches of a route. Events are summed over all streams of one flush. */
class WatchFigures implements StreamFigures {
  private readonly open: { inc(): void; dec(): void };
  private readonly events: { inc(count: number): void };
  private readonly sizes: { observe(bytes: number): void };
  private uncounted = 0;

  constructor({ metrics }: HandlerDeps, { version: { group, version, kind } }: ResourceRoute) {
    const labels = { group, version, kind };
    this.open = metrics.gauge("apiserver_registered_watchers").labels(labels);
    this.events = metrics.counter("apiserver_watch_events_total").labels(labels);
    this.sizes = metrics.histogram("apiserver_watch_events_sizes").labels(labels);
  }

  opened(): void {
    this.open.inc();
  }

  closed(): void {
    this.open.dec();
  }

  sent(frames: readonly Buffer[]): void {
    for (const frame of frames) this.sizes.observe(frame.length);
    if (this.uncounted === 0) queueMicrotask(this.count);
    this.uncounted += frames.length;
  }

  private readonly count = (): void => {
    this.events.inc(this.uncounted);
    this.uncounted = 0;
  };
}
