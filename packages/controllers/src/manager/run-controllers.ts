// Runs all controllers of one process until the signal is aborted.
import { hostname } from "node:os";
import { EventRecorder, type QueueMetrics, systemClock } from "@orch/client";
import { defaultsOf } from "@orch/machinery";
import { pauseUnlessAborted } from "@orch/platform";
import { EVERY_CONTROLLER } from "../controllers/every-controller";
import type { Controller, ControllerOptions } from "../framework/controller";
import type { DeviceMetrics } from "../framework/device-metrics";
import { SharedViews } from "../framework/shared-views";
import { missingRequirement } from "./controller-requirements";
import type { ControllerStates } from "./controller-states";
import { ManagerClients, type ManagerClientsOptions } from "./manager-clients";
import { gateReader } from "./manager-gates";
import { changedRelease, servedRelease } from "./served-release";

export interface RunControllersOptions extends ManagerClientsOptions {
  /** Default: all. */
  readonly controllers?: readonly Controller[];
  /** Values of the controllers' flags. Missing ones have their defaults. */
  readonly options?: ControllerOptions;
  /** Interval between the starts of two controllers. Default: all start at once. */
  readonly startIntervalMs?: number;
  /** Receives the state of each controller by name. */
  readonly states?: ControllerStates;
  readonly metrics?: (queue: string) => QueueMetrics;
  readonly devices?: DeviceMetrics;
}

const SERVER_POLL_MS = 1_000;

/**
 * Runs the controllers until the signal is aborted. This process must be the only one, or the leader. Restarts them
 * when the release of the server changes.
 * @throws Error when a controller fails, after all others have ended
 */
export async function runControllers(options: RunControllersOptions, signal: AbortSignal): Promise<void> {
  const clients = new ManagerClients(options);
  const own = clients.own("release");
  try {
    for (let release = await servedRelease(own, signal); release !== undefined; ) {
      const end = new AbortController();
      const other = new AbortController();
      const changed = changedRelease(own, release, AbortSignal.any([signal, end.signal]));
      void changed.then((now) => {
        if (now !== undefined) other.abort(new Error(`the server's release changed to ${now}`));
      });
      try {
        await runAll(options, clients, release, AbortSignal.any([signal, other.signal]));
      } finally {
        end.abort();
      }
      release = signal.aborted ? undefined : await changed;
      if (release !== undefined)
        options.log.info("the server's release changed: restarting the controllers", { release });
    }
  } finally {
    clients.close();
  }
}

async function runAll(
  options: RunControllersOptions,
  clients: ManagerClients,
  release: string,
  signal: AbortSignal,
): Promise<void> {
  const { controllers = EVERY_CONTROLLER, states, log, startIntervalMs = 0 } = options;
  const one = new AbortController();
  const all = AbortSignal.any([signal, one.signal]);
  const views = new SharedViews(clients.follower);
  views.start(all);
  log.info("starting the controllers", { duties: controllers.map(({ name }) => name) });
  const begin = async (controller: Controller): Promise<void> => {
    states?.set(controller.name, { kind: "working" });
    try {
      await runController(options, { clients, views, release }, controller, all);
      states?.set(controller.name, { kind: "waiting" });
    } catch (error) {
      states?.set(controller.name, { kind: "failed", why: String(error) });
      one.abort(new Error(`the controller ${controller.name} failed`, { cause: error }));
      throw error;
    }
  };
  const begun: Promise<void>[] = [];
  for (const controller of inOrder(controllers)) {
    if (startIntervalMs > 0 && begun.length > 0) {
      await pauseUnlessAborted(systemClock, startIntervalMs * (1 + Math.random()), all);
    }
    if (all.aborted) break;
    begun.push(begin(controller));
  }
  const ends = await Promise.allSettled(begun);
  await views.stopped();
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

/** Name of the controller to start first, because the others may need the tokens that it creates. */
const FIRST = "serviceaccount-token";

const inOrder = (controllers: readonly Controller[]): readonly Controller[] => [
  ...controllers.filter(({ name }) => name === FIRST),
  ...controllers.filter(({ name }) => name !== FIRST),
];

async function runController(
  { metrics, devices, connection, options, log }: RunControllersOptions,
  {
    clients,
    views,
    release,
  }: { readonly clients: ManagerClients; readonly views: SharedViews; readonly release: string },
  controller: Controller,
  signal: AbortSignal,
): Promise<void> {
  const client = clients.of(controller);
  const recorder = EventRecorder.through(client, {
    controller: controller.alias,
    instance: `${controller.alias}-${hostname()}`,
  });
  try {
    const isOn = gateReader(options ?? {}, release);
    const lack = await missingRequirement(controller, { client, release, isOn }, signal);
    if (lack !== undefined) {
      log.info("a controller is disabled: the server does not serve its resources", {
        duty: controller.name,
        lacks: lack,
      });
      return;
    }
    const trusted = connection.tls.ca;
    const context = {
      client,
      release,
      isOn,
      events: recorder,
      trusted,
      views,
      ...(metrics === undefined ? {} : { metrics }),
      ...(devices === undefined ? {} : { devices }),
    };
    if (!signal.aborted) await controller.run(context, ownOptions(controller, options), signal);
  } finally {
    await recorder.close();
    clients.end(client);
  }
}

function ownOptions({ flags }: Controller, given: ControllerOptions = {}): ControllerOptions {
  const own = Object.entries(given).filter(([name]) => Object.hasOwn(flags, name));
  return { ...defaultsOf(flags), ...Object.fromEntries(own) };
}

/** Waits until the server reports that it is healthy, or the signal is aborted. */
export async function untilServerIsHealthy(options: RunControllersOptions, signal: AbortSignal): Promise<void> {
  const clients = new ManagerClients(options);
  const client = clients.own("start");
  try {
    while (!signal.aborted) {
      try {
        await client.getText("/healthz", { signal });
        return;
      } catch (error) {
        if (!signal.aborted) options.log.info("the API server does not respond yet", { error: String(error) });
        await pauseUnlessAborted(client.clock, SERVER_POLL_MS, signal);
      }
    }
  } finally {
    clients.close();
  }
}
