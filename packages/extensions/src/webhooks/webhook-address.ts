// Address of a webhook, from the client configuration in a webhook configuration or a custom resource definition: a
// URL, or a service of the cluster. Source: Kubernetes documentation, "Dynamic Admission Control", "Contacting the
// webhook".
import type { EgressNetwork } from "@orch/platform";
import { type ServiceReference, serviceHostName } from "../services/service-address";
import { WebhookError } from "./webhook-error";

/** Client configuration as in the API. */
export interface WebhookClientConfig {
  readonly url?: string | null;
  readonly service?: ServiceEntry | null;
  /** PEM, base64 encoded. */
  readonly caBundle?: string | null;
}

interface ServiceEntry {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: number;
}

export interface WebhookAddress {
  /** URL, including the port of a service. A URL object omits port 443. */
  readonly text: string;
  /** URL whose host the serving certificate must be valid for. */
  readonly url: URL;
  /** Path of the URL with its query. */
  readonly path: string;
  /** `<host>:<port>`, in the notation of the configuration. */
  readonly target: string;
  /** Service that is called; absent: the host of the URL. */
  readonly service?: ServiceReference;
  /** PEM; absent: the trust store of the machine. */
  readonly ca?: string;
}

/** Reads a client configuration. @throws WebhookError for a configuration without a valid URL or service */
export function webhookAddress({ url, service, caBundle }: WebhookClientConfig): WebhookAddress {
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

function parsed(text: string): Pick<WebhookAddress, "url" | "path"> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:")
    throw new WebhookError(`${JSON.stringify(text)} is not a URL that starts with https://`);
  return { url, path: `${url.pathname}${url.search}` };
}

/** Returns the network of a webhook. Source: staging/src/k8s.io/apiserver/pkg/util/webhook/authentication.go. */
export const networkOf = ({ service }: Pick<WebhookAddress, "service">): EgressNetwork =>
  service === undefined ? "controlplane" : "cluster";
