// Starts a server with its controllers inside a test.
import {
  kubeconfigText,
  type RunningServer,
  recordingStart,
  replayRecording,
  type StartOptions,
  startWithSeams,
} from "@orch/apiserver";
import { Client, ResourceMapper } from "@orch/client";
import { chosenControllers } from "@orch/controllers";
import { type VocabularyName, vocabularyOf } from "@orch/schema";
import { SettingsError } from "@orch/server-config";
import { openStore } from "@orch/store";
import { applyManifests } from "../manifests/apply-manifests";
import { readDefinitions, readManifests } from "../manifests/read-manifests";
import { settled } from "../manifests/wait-for";
import { pairConnection } from "../messages/pair-connection";
import { checkOptions } from "../options/check-options";
import type { TestServerOptions } from "../options/test-server-options";
import { explanation } from "../requests/explanation";
import { RequestLog } from "../requests/request-log";
import { SavedStates } from "../state/saved-states";
import type { Snapshot } from "../state/snapshot";
import { WebhookHost } from "../webhooks/webhook-host";
import { type RunningControllers, startControllers } from "./controllers";
import { createFirstObjects } from "./first-objects";
import { KubeconfigFile } from "./kubeconfig-file";
import type { TestIdentity, TestServer } from "./test-server";

const PROGRAM = "test-server";
/** Time for a definition to be established, in milliseconds. */
const ESTABLISHED_MS = 10_000;
/** Root of the keys of all objects. */
const PREFIX = "/registry";
const UNLIMITED = { perSecond: 0, burst: 0 };

/**
 * Starts a server. Any number of servers run in one process, each with its own objects.
 * @returns the server when it is ready, its objects exist and its definitions are established
 * @throws TypeError for wrong options, with one line for each; StatusError for an object that the server refuses
 */
export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  checkOptions(options);
  const crds = readDefinitions("crds", options.crds ?? []);
  const manifests = readManifests("manifests", options.manifests ?? []);
  const server = await RunningTestServer.open(options);
  try {
    await server.applyObjects([...crds, ...manifests]);
    await server.begin();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** Returns the error of a start with the names of options where the server names its flags. */
function namedByOptions(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const message = error.message
    .replaceAll(/^--emulated-release:/gm, "release:")
    .replaceAll(/^--secure-port:/gm, "port:");
  if (error instanceof SettingsError) return new TypeError(message, { cause: error });
  return message === error.message ? error : new Error(message, { cause: error });
}

interface Parts {
  readonly vocabulary: VocabularyName;
  readonly running: RunningServer;
  readonly states: SavedStates;
  readonly log: RequestLog;
  readonly closeStore: () => Promise<void>;
  readonly webhooks: WebhookHost | undefined;
  readonly controllers: NonNullable<TestServerOptions["controllers"]>;
}

class RunningTestServer implements TestServer {
  readonly client: Client;
  readonly users: Record<string, TestIdentity> = {};
  private readonly clients: Client[] = [];
  private readonly mapper: ResourceMapper;
  private readonly file = new KubeconfigFile(() => this.kubeconfig);
  private working: RunningControllers | undefined;
  /** The state to which `reset` returns: that before the first change by a client. Undefined before it. */
  private first: Promise<Snapshot> | undefined;

  private constructor(private readonly parts: Parts) {
    this.client = this.clientOf(parts.running.admin);
    this.mapper = new ResourceMapper(this.client);
  }

  static async open(options: TestServerOptions): Promise<RunningTestServer> {
    const { controllers = true, users = [], flags, port, replay, until } = options;
    const start = replay === undefined ? undefined : await recordingStart(replay);
    const { vocabulary = start?.vocabulary ?? "kubernetes", release = start?.release } = options;
    const store = await openStore({ kind: "memory" });
    if (replay !== undefined) await replayRecording(replay, { store, prefix: PREFIX, until });
    const { programs } = vocabularyOf(vocabulary);
    const log = new RequestLog((agent) => agent.startsWith(`${programs.controllerManager}/`));
    let registry: { forgetBefore(revision: number): void } | undefined;
    const seams: Parameters<typeof startWithSeams>[1] = {
      audit: [log],
      registry(made) {
        registry = made;
        return made;
      },
    };
    const own = {
      ...(release !== undefined && { "emulated-release": release }),
      ...(port !== undefined && { "secure-port": port }),
    };
    const running = await startWithSeams(
      { vocabulary, store, flags: { ...flags, ...own } as StartOptions["flags"] & object },
      seams,
    ).catch(async (error: unknown) => {
      await store.close();
      throw namedByOptions(error);
    });
    const { admissionregistration } = vocabularyOf(vocabulary).groups;
    const webhooks =
      options.webhooks === undefined ? undefined : await WebhookHost.open(options.webhooks, admissionregistration);
    const closeStore = (): Promise<void> => store.close();
    const states = new SavedStates(store, log, (revision) => registry?.forgetBefore(revision));
    const server = new RunningTestServer({ vocabulary, running, states, log, closeStore, webhooks, controllers });
    for (const user of users) server.users[user.name] = server.issueClient(user);
    return server;
  }

  /** Starts the controllers, and begins to record. */
  async begin(): Promise<void> {
    const { controllers, vocabulary, webhooks, running, states, log } = this.parts;
    const chosen = chosenControllers(controllers === true ? ["*"] : controllers === false ? [] : controllers);
    await createFirstObjects(this.client, chosen, this.ca);
    // The first objects are not the test's, so that its webhooks do not see them.
    if (webhooks !== undefined) await this.applyObjects(webhooks.configurations());
    if (chosen.length > 0)
      this.working = startControllers(chosen, { connection: pairConnection(running, running.admin), vocabulary });
    log.clear();
    log.beforeChange(() => {
      this.first = states.take();
    });
  }

  get url(): string {
    return this.parts.running.url;
  }
  get port(): number {
    return this.parts.running.port;
  }
  get ca(): string {
    return this.parts.running.ca;
  }
  get admin(): RunningServer["admin"] {
    return this.parts.running.admin;
  }
  get kubeconfig(): string {
    return this.parts.running.kubeconfig;
  }
  get kubeconfigPath(): string {
    return this.file.path;
  }
  get requests(): RequestLog["all"] {
    return this.parts.log.all;
  }

  issueClient(user: { readonly name: string; readonly groups?: readonly string[] }): TestIdentity {
    const pair = this.parts.running.issueClient(user);
    const material = { kind: "inPlace", ca: this.ca, ...pair } as const;
    const kubeconfig = kubeconfigText({ url: this.url, user: user.name, material, name: PROGRAM });
    return { ...pair, kubeconfig, client: this.clientOf(pair) };
  }

  applyManifests(...manifests: Parameters<TestServer["applyManifests"]>): ReturnType<TestServer["applyManifests"]> {
    return this.applyObjects(readManifests("manifests", manifests));
  }

  waitFor = settled;

  async reset(): Promise<void> {
    if (this.first !== undefined) await this.restore(await this.first);
    this.parts.log.clear();
  }

  snapshot(): ReturnType<TestServer["snapshot"]> {
    return this.parts.states.take();
  }

  async restore(snapshot: Parameters<TestServer["restore"]>[0]): Promise<void> {
    await this.parts.states.restore(snapshot);
    this.mapper.invalidate();
  }

  explain(last?: number): string {
    const text = explanation(this.requests, last);
    process.stderr.write(`${text}\n`);
    return text;
  }

  async stop(): Promise<void> {
    const { running, webhooks, closeStore } = this.parts;
    for (const client of this.clients.splice(0)) client.close();
    await this.working?.stop();
    await running.stop();
    await webhooks?.close();
    await closeStore();
    this.file.remove();
  }

  applyObjects(objects: Parameters<typeof applyManifests>[1]): ReturnType<typeof applyManifests> {
    return applyManifests({ client: this.client, mapper: this.mapper, timeoutMs: ESTABLISHED_MS }, objects);
  }

  private clientOf(pair: RunningServer["admin"]): Client {
    const { vocabulary } = this.parts;
    const connection = pairConnection(this, pair);
    const client = new Client({ connection, vocabulary, program: PROGRAM, rateLimit: UNLIMITED, onWarning: () => {} });
    this.clients.push(client);
    return client;
  }
}
