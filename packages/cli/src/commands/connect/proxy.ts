// `orch proxy`: an HTTP server on this machine that passes requests on with the credentials of the user. Source:
// kubectl/pkg/proxy/proxy_server.go.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { systemFault } from "@orch/platform";
import { type Command, Option } from "commander";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { RequestFilter } from "./proxy-filter";
import { ProxyHandler } from "./proxy-handler";
import { staticFiles } from "./static-files";

interface Options {
  readonly port: number;
  readonly address: string;
  readonly unixSocket?: string;
  readonly apiPrefix: string;
  readonly acceptPaths: string;
  readonly rejectPaths: string;
  readonly acceptHosts: string;
  readonly rejectMethods: string;
  readonly disableFilter?: boolean;
  readonly www?: string;
  readonly wwwPrefix: string;
}

const PORT = 8001;
const PORT_MAX = 65_535;
const LOCAL_HOSTS = "^localhost$,^127\\.0\\.0\\.1$,^\\[::1\\]$";
const STREAMS_OF_PODS = "^/api/.*/pods/.*/exec,^/api/.*/pods/.*/attach";

const EXAMPLES = `
Examples:
  # The API on http://127.0.0.1:8001, and a page of this folder that uses it
  orch proxy --www=site/ --www-prefix=/page/

  # Only what is under /apis, on a free port
  orch proxy --port=0 --accept-paths='^/apis/'

Programs on this machine that can open the port act as the user. Requests for other hosts are refused, so that web pages
cannot reach the port by a name of their own.`;

export function define(command: Command, session: Session): void {
  command
    .addOption(new Option("-p, --port <number>", "port; 0: a free one").argParser(portOf).default(PORT))
    .addOption(new Option("--address <address>", "address to listen on").default("127.0.0.1"))
    .option("-u, --unix-socket <path>", "listen on a socket of the file system")
    .addOption(new Option("--api-prefix <path>", "path of the API in the proxy").default("/"))
    .addOption(new Option("--accept-paths <patterns>", "regular expressions of accepted paths").default("^.*"))
    .addOption(new Option("--reject-paths <patterns>", "regular expressions of refused paths").default(STREAMS_OF_PODS))
    .addOption(new Option("--accept-hosts <patterns>", "regular expressions of accepted hosts").default(LOCAL_HOSTS))
    .addOption(new Option("--reject-methods <patterns>", "regular expressions of refused methods").default("^$"))
    .option("--disable-filter", "accept all requests, which is dangerous when others reach the port")
    .option("-w, --www <folder>", "also serve the files of a folder")
    .addOption(new Option("-P, --www-prefix <path>", "path of the files").default("/static/"))
    .addHelpText("after", EXAMPLES);
  command.action((options: Options) => runProxy(session, options));
}

async function runProxy(session: Session, options: Options): Promise<void> {
  const filter =
    options.disableFilter === true
      ? undefined
      : new RequestFilter({
          acceptPaths: options.acceptPaths,
          rejectPaths: options.rejectPaths,
          acceptHosts: options.acceptHosts,
          rejectMethods: options.rejectMethods,
        });
  if (filter === undefined && options.unixSocket === undefined) {
    session.warn("Request filter disabled, your proxy is vulnerable to XSRF attacks, please be cautious");
  }
  const handler = new ProxyHandler({
    client: await session.client(),
    filter,
    prefix: withSlashes(options.apiPrefix),
    files: options.www === undefined ? undefined : staticFiles(withSlashes(options.wwwPrefix), options.www),
  });
  const server = createServer((request, response) => void handler.answer(request, response));
  server.on("upgrade", (request, socket, head) => void handler.upgrade(request, socket, head));
  try {
    await listen(server, options);
    session.write(`Starting to serve on ${placeOf(server, options)}\n`);
    await new Promise<void>((_, reject) => {
      server.once("error", reject);
      session.signal.addEventListener("abort", () => reject(session.signal.reason));
    });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function listen(server: Server, { port, address, unixSocket }: Options): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(new CliError(`unable to listen on ${unixSocket ?? `${address}:${port}`}: ${systemFault(error)}`)),
    );
    if (unixSocket === undefined) server.listen(port, address, resolve);
    else server.listen(unixSocket, resolve);
  });
}

function placeOf(server: Server, { address, unixSocket }: Options): string {
  if (unixSocket !== undefined) return unixSocket;
  const { port } = server.address() as AddressInfo;
  return `${address.includes(":") ? `[${address}]` : address}:${port}`;
}

const withSlashes = (path: string): string => `/${path}/`.replaceAll(/\/{2,}/g, "/");

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= PORT_MAX) return port;
  throw new CliError(`--port: ${JSON.stringify(text)} is not a number from 0 to ${PORT_MAX}`);
}
