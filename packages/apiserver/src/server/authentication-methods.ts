// The methods of authentication: one table, in the order in which they are asked.
// Source: access-control, "Methods"; facts, flags.json "authenticatorOrder".
import {
  type Authenticator,
  anonymous,
  bearerTokenAuthenticator,
  ClientCertificateAuthenticator,
  forThisServer,
  type LocalToken,
  localTokenAuthenticator,
  parseTokenFile,
  RememberedTokens,
  RequestHeaderAuthenticator,
  type TokenAuthenticator,
  TokenFileAuthenticator,
  tokenUnion,
  unionOf,
} from "@orch/auth";
import { readOptionFile } from "@orch/platform";
import type { OpenAuthentication } from "../authentication/open-authentication";
import type { ServerConfig } from "../flags/server-flags";
import type { Logger } from "../logging/logger";
import type { ServerMetrics } from "../metrics/server-metrics";
import { tokenCacheFigures } from "../metrics/token-cache-figures";
import type { ClientRevocation } from "../tls/client-revocation";
import type { ClientAuthorities } from "../tls/serving-tls";

export interface AuthenticationMethods {
  readonly authenticator: Authenticator;
  /** Bearer tokens alone; undefined where none is ever accepted. */
  readonly tokens: Authenticator | undefined;
  /** From now on these authorities' clients, and these proxies, are taken. @throws Error when they cannot be read */
  replaceCa(pem: ClientAuthorities): void;
}

export interface MethodParts {
  readonly config: ServerConfig;
  readonly authorities: ClientAuthorities;
  readonly anonymousAllowed: boolean;
  readonly localToken: LocalToken | undefined;
  readonly opened: OpenAuthentication;
  readonly isRevoked: ClientRevocation["isRevoked"] | undefined;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
}

/** One that looks at the request. A factory answers undefined where the options do not switch its method on. */
interface RequestMethod {
  readonly authenticator: Authenticator;
  replaceCa?(pem: ClientAuthorities): void;
}

type MethodFactory = (parts: MethodParts) => RequestMethod | undefined;

/** Before the bearer tokens. */
const FIRST: readonly MethodFactory[] = [requestHeaders, clientCertificates];

/** Asked for the bearer token of a request, and of a TokenReview. What they find is remembered as long as they say. */
const TOKENS: readonly ((parts: MethodParts) => TokenAuthenticator | undefined)[] = [tokenFile, issuedTokens];

/** After them. */
const LAST: readonly MethodFactory[] = [localToken];

/** @throws Error for a file that cannot be read */
export function authenticationMethods(parts: MethodParts): AuthenticationMethods {
  const tokens = made(TOKENS, parts);
  const remembered = new RememberedTokens(tokenUnion(tokens), {
    nowMs: Date.now,
    observer: tokenCacheFigures(parts.metrics),
  });
  const bearer = bearerTokenAuthenticator(remembered);
  const [first, last] = [made(FIRST, parts), made(LAST, parts)];
  const methods = [...first, { authenticator: bearer }, ...last];
  return {
    authenticator: unionOf(
      methods.map(({ authenticator }) => authenticator),
      parts.anonymousAllowed ? anonymous : undefined,
    ),
    tokens: tokens.length === 0 ? undefined : unionOf([bearer]),
    replaceCa(pem) {
      for (const method of [...first, ...last]) method.replaceCa?.(pem);
    },
  };
}

function made<Method>(table: readonly ((parts: MethodParts) => Method | undefined)[], parts: MethodParts): Method[] {
  return table.flatMap((make) => make(parts) ?? []);
}

function requestHeaders({ config, authorities: { proxies }, isRevoked }: MethodParts): RequestMethod | undefined {
  if (proxies === "") return undefined;
  const authenticator = new RequestHeaderAuthenticator({
    caPem: proxies,
    isRevoked,
    allowedNames: config["requestheader-allowed-names"],
    usernameHeaders: config["requestheader-username-headers"],
    uidHeaders: config["requestheader-uid-headers"],
    groupHeaders: config["requestheader-group-headers"],
    extraHeaderPrefixes: config["requestheader-extra-headers-prefix"],
  });
  return { authenticator, replaceCa: (pem) => authenticator.replaceCa(pem.proxies) };
}

function clientCertificates({
  authorities: { clients: caPem },
  isRevoked,
  metrics,
}: MethodParts): RequestMethod | undefined {
  if (caPem === "") return undefined;
  const validity = metrics.histogram("apiserver_client_certificate_expiration_seconds").labels({});
  const used = (validForMs: number) => validity.observe(validForMs / 1000);
  const authenticator = new ClientCertificateAuthenticator({ caPem, isRevoked, used });
  return { authenticator, replaceCa: (pem) => authenticator.replaceCa(pem.clients) };
}

/** The server has no audience by another name. */
const OWN_AUDIENCES: readonly string[] = [];

function tokenFile({ config, logger }: MethodParts): TokenAuthenticator | undefined {
  const path = config["token-auth-file"];
  if (path === "") return undefined;
  const parsed = parseTokenFile(readOptionFile("token-auth-file", path));
  for (const warning of parsed.warnings) logger.warn(`--token-auth-file: ${warning}`);
  return forThisServer(OWN_AUDIENCES, new TokenFileAuthenticator(parsed));
}

/** They are issued for clients, and taken by this server by whatever name it is asked for. */
function issuedTokens({ opened: { issued } }: MethodParts): TokenAuthenticator | undefined {
  return issued && forThisServer(OWN_AUDIENCES, issued);
}

function localToken({ localToken: token }: MethodParts): RequestMethod | undefined {
  return token && { authenticator: localTokenAuthenticator(token) };
}
