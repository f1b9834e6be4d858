import { answered, byteProtocols, type Handshake, JSON_TYPE, webSocketHandshake } from "@orch/http-server";
import { parseWatchOptions, type WatchOptions } from "@orch/machinery";
import type { EndSignal } from "@orch/platform";
import { type Entry, type WatchEvent, type Watcher, watchWithin } from "@orch/registry";
import { NO_QUERY, type ObjectForm, preparedFor, type ResourceRoute } from "@orch/request";
import { existsIn } from "@orch/schema";
import { joinId, letGoOfHead } from "../pipeline/let-go-of-head";
import type { HandlerDeps, ResourceRequest } from "./handler";
import { isAccessibleOnly, narrowed, selectionOf, shardsOf } from "./list";
import { warnOfUnreadable } from "./unreadable-warning";
import { responseSink, webSocketSink } from "./watch-sink";
import { type StreamFigures, WatchStream } from "./watch-stream";

/** Releases with the feature gate WatchList on by default. */
export const INITIAL_EVENTS = { since: "1.34" };

export async function watchObjects(deps: HandlerDeps, asked: ResourceRequest): Promise<void> {
  const { request, info } = asked;
  const { route, key, query = NO_QUERY } = info;
  const form = deps.forms.for(asked, "stream");
  const handshake = webSocketHandshake(request, asked.response, byteProtocols(deps.vocabulary));
  const { loop } = deps;
  const startMs = loop.nowMs;
  const features = { ...shardsOf(deps), initialEventsByDefault: existsIn(INITIAL_EVENTS, deps.release) };
  const options = narrowed(parseWatchOptions(query, deps.vocabulary, features), key.name);
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
  const firstBookmark = wanted.sendInitialEvents ? deps.vocabulary.annotations.initialEventsEnd : undefined;
  openStream(deps, asked, { watcher, form, handshake, firstBookmark });
}

function openStream(
  deps: HandlerDeps,
  asked: ResourceRequest,
  {
    watcher,
    form,
    handshake,
    firstBookmark,
  }: {
    readonly watcher: Watcher;
    readonly form: ObjectForm;
    readonly handshake: Handshake | undefined;
    /** Annotation of the bookmark that ends the initial events; undefined for a watch without them. */
    readonly firstBookmark: string | undefined;
  },
): void {
  const { request, response } = asked;
  const { context } = request;
  const { route } = asked.info;
  // The client left while the watch was created.
  if (answered(response)) {
    watcher.close();
    return;
  }
  const all = watchFigures(deps, route);
  all.opened();
  const figures =
    firstBookmark === undefined ? all : new InitialFigures(all, firstBookmark, watchListSeconds(deps, asked));
  const of = {
    context,
    watcher,
    flusher: deps.flusher,
    figures,
    prepare: preparation(route, form, context.end),
    frame: form.framer(),
  };
  joinId(context);
  context.stream = new WatchStream(of, () =>
    handshake === undefined
      ? responseSink(response, form.streamType, deps.flusher)
      : webSocketSink(response, handshake, form.streamType === JSON_TYPE),
  );
  letGoOfHead(request);
}

/** Returns a function that makes events ready to be framed; undefined, nearly always, when there is nothing to do. */
export function preparation(
  route: ResourceRoute,
  form: ObjectForm,
  signal: EndSignal,
): (events: readonly WatchEvent[]) => Promise<void> | undefined {
  if (route.storage.prepare !== undefined) return (events) => preparedFor(route, entriesOf(events), signal);
  return (events) => {
    for (const event of events) if ("entry" in event && event.entry.isLarge) return form.prepare(entriesOf(events));
    return undefined;
  };
}

const entriesOf = (events: readonly WatchEvent[]): readonly Entry[] =>
  events.flatMap((event) => ("entry" in event ? [event.entry] : []));

/**
 * Without a timeout of the client, a random time between the minimum and twice that, so that clients do not reconnect
 * all at once.
 */
export function lifetimeMs(options: WatchOptions, deps: HandlerDeps): number {
  const seconds = options.timeoutSeconds ?? deps.minWatchSeconds * (1 + deps.random());
  return Math.round(seconds * 1000);
}

export function watchFigures(deps: HandlerDeps, route: ResourceRoute): WatchFigures {
  let known = figuresOfRoute.get(route);
  if (known === undefined) {
    known = new WatchFigures(deps, route);
    figuresOfRoute.set(route, known);
  }
  return known;
}

/** Returns a function that records how long the initial events of a watch took. */
function watchListSeconds({ metrics }: HandlerDeps, { request, info }: ResourceRequest): () => void {
  const { receivedAt } = request.context;
  const { group, version, resource, name, namespace } = info;
  const scope = name === "" ? (namespace === "" ? "cluster" : "namespace") : "resource";
  const histogram = metrics.histogram("apiserver_watch_list_duration_seconds");
  return () => histogram.labels({ group, version, resource, scope }).observe((performance.now() - receivedAt) / 1000);
}

/** Metrics of a watch that begins with initial events: tells when their bookmark was sent. */
class InitialFigures implements StreamFigures<WatchEvent> {
  private isDone = false;

  constructor(
    private readonly all: StreamFigures<WatchEvent>,
    private readonly bookmark: string,
    private readonly ended: () => void,
  ) {}

  closed(isTooSlow: boolean): void {
    this.all.closed(isTooSlow);
  }

  sent(frames: readonly Buffer[], events: readonly WatchEvent[]): void {
    this.all.sent(frames, events);
    if (this.isDone || !frames.some((frame) => frame.length < BOOKMARK_MAX_BYTES && frame.includes(this.bookmark)))
      return;
    this.isDone = true;
    this.ended();
  }
}

/** Longer than any bookmark. */
const BOOKMARK_MAX_BYTES = 2048;

const figuresOfRoute = new WeakMap<ResourceRoute, WatchFigures>();

/** Metrics of the watches of a route. Events are summed over all streams of one flush. */
export class WatchFigures implements StreamFigures<unknown> {
  private readonly open: { inc(): void; dec(): void };
  private readonly terminated: { inc(): void };
  private readonly events: { inc(count: number): void };
  private readonly sizes: { observe(bytes: number): void };
  private uncounted = 0;

  constructor({ metrics }: HandlerDeps, { version: { group, version, kind }, definition }: ResourceRoute) {
    const resource = { group, resource: definition.plural };
    const labels = { version, kind };
    this.open = metrics.gauge("apiserver_registered_watchers").labels({ group, ...labels });
    this.terminated = metrics
      .counter("apiserver_terminated_watchers_total")
      .labels(metrics.labelsFor("apiserver_terminated_watchers_total", resource));
    this.events = metrics
      .counter("apiserver_watch_events_total")
      .labels(metrics.labelsFor("apiserver_watch_events_total", resource, labels));
    this.sizes = metrics
      .histogram("apiserver_watch_events_sizes")
      .labels(metrics.labelsFor("apiserver_watch_events_sizes", resource, labels));
  }

  opened(): void {
    this.open.inc();
  }

  closed(isTooSlow: boolean): void {
    if (isTooSlow) this.terminated.inc();
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
