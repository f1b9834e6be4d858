// `orch port-forward`: ports of this machine that lead to ports of a pod. A connection that was lost is opened again for
// the next client, to another pod if the first is gone.
import { createServer, type Server, type Socket } from "node:net";
import type { PortForward } from "@orch/client";
import { systemFault } from "@orch/platform";
import { isObject, type JsonObject } from "@orch/schema";
import { type Command, Option } from "commander";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { podTimeout } from "./exec";
import { durationOf, name, namespaceOfPod, podsOf } from "./find-pods";
import { type PortPair, portPairs, remotePort } from "./port-pairs";

interface Options {
  readonly address: string;
  readonly podRunningTimeout: string;
}

const EXAMPLES = `
Examples:
  # Port 8080 of this machine to port 80 of a pod of the deployment
  orch port-forward deploy/web 8080:80

  # The named port of a service, on a free port
  orch port-forward svc/web :http`;

export function define(command: Command, session: Session): void {
  command
    .argument("<pod>", "POD or TYPE/NAME")
    .argument("<port...>", "[LOCAL:]REMOTE, number or name; :REMOTE chooses a free port")
    .addOption(new Option("--address <addresses>", "addresses to listen on, separated by commas").default("localhost"))
    .addOption(podTimeout("1m"))
    .addHelpText("after", EXAMPLES);
  command.action(async (word: string, ports: readonly string[], options: Options) => {
    const forward = new Forwarding(session, word, options);
    await forward.run(portPairs(ports));
  });
}

class Forwarding {
  private readonly servers: Server[] = [];
  private open: Promise<PortForward> | undefined;

  constructor(
    private readonly session: Session,
    private readonly word: string,
    private readonly options: Options,
  ) {}

  async run(pairs: readonly PortPair[]): Promise<void> {
    const { session } = this;
    // The pod must exist, and accept connections, before people are told that ports are forwarded.
    const { pod, owner } = await this.pod();
    const resolved = pairs.map((pair) => ({ pair, remote: remotePort(pair.remote, pod, owner) }));
    await this.connection();
    try {
      for (const { pair, remote } of resolved) await this.listen(pair, remote);
      await new Promise<void>((_, reject) => {
        session.signal.addEventListener("abort", () => reject(session.signal.reason));
        for (const server of this.servers) server.once("error", reject);
      });
    } finally {
      for (const server of this.servers) server.close();
      void this.open?.then(
        (each) => each.close(),
        () => {},
      );
    }
  }

  private async pod(): Promise<{ readonly pod: JsonObject; readonly owner: JsonObject | undefined }> {
    const timeoutMs = durationOf("--pod-running-timeout", this.options.podRunningTimeout);
    const { pods, owner } = await podsOf(this.session, this.word, timeoutMs);
    const pod = pods.find((each) => isRunning(each)) ?? pods[0];
    if (pod === undefined) throw new CliError(`there is no pod of ${this.word}`);
    if (!isRunning(pod)) {
      const { status } = pod;
      const phase = isObject(status) ? String(status["phase"]) : "unknown";
      throw new CliError(`unable to forward port because pod is not running. Current status=${phase}`);
    }
    const isService = owner?.type.group === "" && owner.type.resource === "services";
    return { pod, owner: isService ? owner?.object : undefined };
  }

  /** Returns the connection to the pod, a new one when the last was lost. */
  private connection(): Promise<PortForward> {
    this.open ??= this.connect();
    return this.open;
  }

  private async connect(): Promise<PortForward> {
    const { session } = this;
    try {
      const { pod } = await this.pod();
      const client = await session.client();
      const forward = await client.portForward({
        namespace: namespaceOfPod(pod),
        name: name(pod),
        signal: session.signal,
      });
      void forward.closed.then((error) => {
        this.open = undefined;
        if (error !== undefined && !session.signal.aborted) {
          session.tell(`lost connection to pod ${name(pod)}: it is opened again for the next connection`);
        }
      });
      return forward;
    } catch (error) {
      this.open = undefined;
      throw error;
    }
  }

  private async listen({ local }: PortPair, remote: number): Promise<void> {
    const { session } = this;
    const wanted = local === "same" ? remote : local;
    const addresses = this.options.address
      .split(",")
      .flatMap((each) => (each === "localhost" ? ["127.0.0.1", "::1"] : [each]));
    let port = wanted;
    const failures: Error[] = [];
    let count = 0;
    for (const address of addresses) {
      try {
        const server = await listening(port, address, (socket) => void this.serve(socket, port, remote));
        this.servers.push(server);
        port = portOf(server);
        count += 1;
        const shown = address.includes(":") ? `[${address}]` : address;
        session.write(`Forwarding from ${shown}:${port} -> ${remote}\n`);
      } catch (error) {
        failures.push(error as Error);
      }
    }
    if (count === 0) {
      const reasons = failures.map(systemFault).join("; ");
      throw new CliError(`unable to listen on port ${wanted}: ${reasons}`);
    }
  }

  private async serve(socket: Socket, port: number, remote: number): Promise<void> {
    const { session } = this;
    socket.on("error", () => {});
    session.write(`Handling connection for ${port}\n`);
    try {
      const { data, ended } = (await this.connection()).connect(remote);
      data.on("error", () => socket.destroy());
      socket.once("close", () => data.destroy());
      data.pipe(socket);
      socket.pipe(data);
      await ended;
    } catch (error) {
      socket.destroy();
      if (!session.signal.aborted) session.tell(`error: port ${port} -> ${remote}: ${(error as Error).message}`);
    }
  }
}

function listening(port: number, address: string, serve: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, serve);
    server.once("error", reject);
    server.listen(port, address, () => {
      server.off("error", reject);
      resolve(server);
    });
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === "object" ? address.port : 0;
}

function isRunning({ status }: JsonObject): boolean {
  return isObject(status) && status["phase"] === "Running";
}
