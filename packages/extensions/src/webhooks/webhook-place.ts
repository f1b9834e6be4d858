// Where a webhook is, as configurations of admission and definitions have it: a URL, or a service of the cluster.
// Source: facts, admission/webhooks.md "Client construction".
import { type ServiceReference, serviceHostName } from "../services/service-address";
import { WebhookError } from "./webhook-error";

/** As the API has it. */
export interface WebhookClientConfig {
  readonly url?: string | null;
  readonly service?: ServiceEntry | null;
  /** base64 of PEM. */
  readonly caBundle?: string | null;
}

interface ServiceEntry {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: number;
}

export interface WebhookPlace {
  /** With the port of a service, which a URL leaves out where it is 443. */
  readonly text: string;
  /** By whose host its certificate is checked. */
  readonly url: URL;
  /** Of the URL, with its query. */
  readonly path: string;
  /** `<host>:<port>`, however it is written. */
  readonly target: string;
  /** Where it is on the network; absent: at the URL's host. */
  readonly service?: ServiceReference;
  /** PEM; absent: what this machine trusts. */
  readonly ca?: string;
}

/** @throws WebhookError for one that says nothing */
export function webhookPlace({ url, service, caBundle }: WebhookClientConfig): WebhookPlace {
  const ca = caBundle ? { ca: Buffer.from(caBundle, "base64").toString() } : {};
  if (service) {
    const { namespace = "", name = "", path = "/", port = 443 } = service;
    const target = `${serviceHostName({ namespace, name })}:${port}`;
    const text = `https://${target}${path.startsWith("/") ? "" : "/"}${path}`;
    return { text, ...parsed(text), target, service: { namespace, name, port }, ...ca };
  }
  if (!url) throw new WebhookError("no client configuration: neither a URL nor a service is named");
  const at = parsed(url);
  return { text: url, ...at, target: `${at.url.hostname}:${at.url.port || 443}`, ...ca };
}

function parsed(text: string): Pick<WebhookPlace, "url" | "path"> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:") throw new WebhookError(`${JSON.stringify(text)} is no URL that begins with https://`);
  return { url, path: `${url.pathname}${url.search}` };
}
