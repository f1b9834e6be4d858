// Authorization code flow with PKCE and a redirect to this machine. Sources: RFC 7636; RFC 8252, section 7.3; OpenID
// Connect Core 1.0, section 3.1.
import { spawn } from "node:child_process";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { openidClient, type Provider, type Tokens } from "./openid";

const TIMEOUT_MS = 5 * 60_000;
const PATH = "/callback";

interface CodeFlowOptions {
  readonly scope: string;
  /** 0: any free port. */
  readonly port: number;
  readonly opensBrowser: boolean;
}

export async function codeFlow(
  session: Session,
  provider: Provider,
  { scope, port, opensBrowser }: CodeFlowOptions,
): Promise<Tokens> {
  const openid = await openidClient();
  const verifier = openid.randomPKCECodeVerifier();
  const state = openid.randomState();
  const nonce = openid.randomNonce();
  const challenge = await openid.calculatePKCECodeChallenge(verifier);
  const callback = await Callback.listen(port, state);
  try {
    const url = openid.buildAuthorizationUrl(provider, {
      redirect_uri: callback.url,
      scope,
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: "S256",
      // Providers issue refresh tokens only with the consent of the user. OpenID Connect Core 1.0, section 11.
      ...(scope.includes("offline_access") && { prompt: "consent" }),
    });
    session.tell(`Log in at this address${opensBrowser ? ", which a browser opens" : ""}:\n\n  ${url.href}\n`);
    if (opensBrowser) openBrowser(url.href, session.io.environment);
    const answer = await callback.answered(AbortSignal.any([session.signal, AbortSignal.timeout(TIMEOUT_MS)]));
    try {
      const tokens = await openid.authorizationCodeGrant(provider, answer, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      callback.finish("You are logged in. You may close this window.");
      return tokens;
    } catch (error) {
      callback.finish("The login failed. The command line tells why.", 400);
      throw error;
    }
  } finally {
    callback.close();
  }
}

/** Server for the one redirect. Requests that do not have the state of this login are refused and change nothing. */
class Callback {
  private response: ServerResponse | undefined;
  private arrived!: (url: URL) => void;
  private readonly arrival = new Promise<URL>((resolve) => {
    this.arrived = resolve;
  });
  private readonly server = createServer((request, response) => {
    const url = URL.canParse(request.url ?? "", this.url) ? new URL(request.url ?? "", this.url) : undefined;
    if (request.method !== "GET" || url?.pathname !== PATH) answerPage(response, 404, "Nothing is here.");
    else if (url.searchParams.get("state") !== this.state || this.response !== undefined) {
      answerPage(response, 400, "This address does not belong to the login that is under way.");
    } else {
      this.response = response;
      this.arrived(url);
    }
  });

  private constructor(private readonly state: string) {}

  static async listen(port: number, state: string): Promise<Callback> {
    const made = new Callback(state);
    await new Promise<void>((resolve, reject) => {
      made.server.once("error", (error: NodeJS.ErrnoException) =>
        reject(new CliError(`port ${port} of 127.0.0.1 cannot be used for the redirect: ${error.message}`)),
      );
      made.server.listen(port, "127.0.0.1", resolve);
    });
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${PATH}`;
  }

  answered(signal: AbortSignal): Promise<URL> {
    return new Promise((resolve, reject) => {
      const end = () => reject(new CliError("no login within five minutes: run the command again"));
      if (signal.aborted) end();
      signal.addEventListener("abort", end, { once: true });
      void this.arrival.then(resolve);
    });
  }

  finish(text: string, status = 200): void {
    if (this.response !== undefined) answerPage(this.response, status, text);
  }

  close(): void {
    this.server.close();
    this.server.closeIdleConnections();
    setTimeout(() => this.server.closeAllConnections(), 500).unref();
  }
}

function answerPage(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "cache-control": "no-store",
    connection: "close",
  });
  response.end(`<!doctype html><title>orch login</title><p>${text}</p>\n`);
}

/** Opens a browser. One that cannot be started is no error: the address was printed. */
function openBrowser(url: string, environment: Readonly<Record<string, string | undefined>>): void {
  const own = environment["BROWSER"];
  const [command = "", ...args] = own
    ? [own]
    : process.platform === "darwin"
      ? ["open"]
      : process.platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler"]
        : ["xdg-open"];
  const child = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  child.once("error", () => {});
  child.unref();
}
