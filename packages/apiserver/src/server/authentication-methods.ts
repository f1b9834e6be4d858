// Authentication methods in the order in which they are tried. Source: pkg/kubeapiserver/authenticator/config.go;
// Kubernetes documentation, "Authenticating".
import type { X509Certificate } from "node:crypto";
import {
  AccountTokens,
  type Authenticator,
  anonymousFor,
  bearerTokenAuthenticator,
  bootstrapTokens,
  ClientCertificateAuthenticator,
  credentialKey,
  forThisServer,
  type LocalToken,
  localTokenAuthenticator,
  parseTokenFile,
  RememberedTokens,
  RequestHeaderAuthenticator,
  rememberedWebhook,
  type TokenAuthenticator,
  TokenFileAuthenticator,
  type TokenUse,
  tokenUnion,
  unionOf,
  webSocketTokenAuthenticator,
} from "@orch/auth";
import type { ClientAuthorities, ClientRevocation } from "@orch/http-server";
import { type Logger, type ServerMetrics, tokenCacheFigures } from "@orch/observability";
import { readOptionFile, systemClock } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import type { ResourceStorages } from "@orch/served-resources";
import { type OpenAuthentication, reloadWhenChanged, type ServerConfig, type Settings } from "@orch/server-config";
import type { AccountKeys } from "./account-keys";
import { bootstrapSecrets, boundObjects } from "./bound-objects";
import type { LastUses } from "./legacy-tokens/last-uses";

export interface AuthenticationMethods {
  readonly authenticator: Authenticator;
  /** Authenticates bearer tokens only. */
  readonly tokens: Authenticator;
  /** Replaces the authorities of client certificates and of front proxies. @throws Error when they cannot be read */
  replaceCa(pem: ClientAuthorities): void;
  /** Whether a client certificate has a chain to an authority without a revoked certificate. */
  trusts(certificate: X509Certificate): boolean;
  stop(): void;
}

export interface MethodParts {
  readonly config: ServerConfig;
  readonly authorities: ClientAuthorities;
  readonly anonymousAllowed: boolean;
  readonly localToken: LocalToken | undefined;
  readonly opened: OpenAuthentication;
  readonly isRevoked: ClientRevocation["isRevoked"] | undefined;
  readonly settings: Settings;
  readonly vocabulary: Vocabulary;
  readonly storages: ResourceStorages;
  readonly accountKeys: AccountKeys;
  /** Records uses of tokens in Secrets; undefined when they are not tracked. */
  readonly lastUses: Pick<LastUses, "note"> | undefined;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
}

interface Making extends MethodParts {
  /** Registers a function that runs when the server stops. */
  atEnd(stop: () => void): void;
}

/** A method that examines the request. A factory returns undefined when the options do not enable the method. */
interface RequestMethod {
  readonly authenticator: Authenticator;
  replaceCa?(pem: ClientAuthorities): void;
  trusts?(certificate: X509Certificate): boolean;
}

type MethodFactory = (parts: Making) => RequestMethod | undefined;

/** Methods before the bearer tokens. */
const FIRST: readonly MethodFactory[] = [requestHeaders, clientCertificates];

/** Methods for bearer tokens of requests and of TokenReviews. Results are cached as long as each method allows. */
const TOKENS: readonly ((parts: Making) => TokenAuthenticator | undefined)[] = [
  tokenFile,
  accountTokens,
  bootstrapTokenSecrets,
  issuedTokens,
  webhookTokens,
];

/** Methods after the bearer tokens. */
const LAST: readonly MethodFactory[] = [localToken];

/** @throws Error for a file that cannot be read */
export function authenticationMethods(of: MethodParts): AuthenticationMethods {
  const ends: (() => void)[] = [];
  const parts: Making = { ...of, atEnd: (stop) => void ends.push(stop) };
  const tokens = made(TOKENS, parts);
  const remembered = new RememberedTokens(tokenUnion(tokens), {
    clock: systemClock,
    observer: tokenCacheFigures(parts.metrics),
  });
  const bearer = bearerTokenAuthenticator(remembered);
  const [first, last] = [made(FIRST, parts), made(LAST, parts)];
  const { base64urlBearerAuthorization: prefix } = parts.vocabulary.subprotocols;
  const ofPages = webSocketTokenAuthenticator(remembered, prefix);
  const methods = [...first, { authenticator: bearer }, { authenticator: ofPages }, ...last];
  return {
    authenticator: unionOf(
      methods.map(({ authenticator }) => authenticator),
      parts.anonymousAllowed ? anonymousFor(parts.opened.anonymous) : undefined,
    ),
    tokens: unionOf([bearer]),
    replaceCa(pem) {
      for (const method of [...first, ...last]) method.replaceCa?.(pem);
    },
    trusts: (certificate) => [...first, ...last].some((method) => method.trusts?.(certificate) === true),
    stop() {
      for (const end of ends) end();
    },
  };
}

function made<Method>(table: readonly ((parts: Making) => Method | undefined)[], parts: Making): Method[] {
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
  return {
    authenticator,
    replaceCa: (pem) => authenticator.replaceCa(pem.proxies),
    trusts: (each) => authenticator.trusts(each),
  };
}

function clientCertificates({
  authorities: { clients: caPem },
  isRevoked,
  metrics,
  settings,
  vocabulary,
}: MethodParts): RequestMethod | undefined {
  if (caPem === "") return undefined;
  const validity = metrics.histogram("apiserver_client_certificate_expiration_seconds").labels({});
  const used = (validForMs: number) => validity.observe(validForMs / 1000);
  const readsUid = settings.gates.AllowParsingUserUIDFromCertAuth;
  const authenticator = new ClientCertificateAuthenticator({
    ...{ caPem, isRevoked, used, readsUid },
    credentialKey: credentialKey(vocabulary, settings.release),
  });
  return {
    authenticator,
    replaceCa: (pem) => authenticator.replaceCa(pem.clients),
    trusts: (each) => authenticator.trusts(each),
  };
}

function tokenFile({ config, logger, metrics, accountKeys, atEnd }: Making): TokenAuthenticator | undefined {
  const file = config["token-auth-file"];
  if (file === "") return undefined;
  const option = "token-auth-file";
  const read = () => {
    const parsed = parseTokenFile(readOptionFile(option, file));
    for (const warning of parsed.warnings) logger.warn(`--token-auth-file: ${warning}`);
    return parsed;
  };
  const method = new TokenFileAuthenticator(read());
  atEnd(reloadWhenChanged({ logger, metrics }, { option, file }, () => method.replace(read())));
  return forThisServer(accountKeys.audiences, method);
}

function accountTokens(parts: Making): TokenAuthenticator {
  const { config, settings, vocabulary, metrics, accountKeys, storages, lastUses } = parts;
  const counts: Readonly<Record<TokenUse, { inc(): void }>> = {
    legacy: metrics.counter("serviceaccount_legacy_tokens_total"),
    automatic: metrics.counter("serviceaccount_legacy_auto_token_uses_total"),
    manual: metrics.counter("serviceaccount_legacy_manual_token_uses_total"),
    invalid: metrics.counter("serviceaccount_invalid_legacy_auto_token_uses_total"),
    stale: metrics.counter("serviceaccount_stale_tokens_total"),
    valid: metrics.counter("serviceaccount_valid_tokens_total"),
  };
  return new AccountTokens({
    vocabulary,
    release: settings.release,
    keys: accountKeys.ring,
    refreshKeys: accountKeys.refresh,
    issuers: accountKeys.issuers,
    audiences: accountKeys.audiences,
    lookup: config["service-account-lookup"],
    objects: boundObjects(storages, vocabulary),
    nowMs: Date.now,
    used: (token) => counts[token].inc(),
    ...(lastUses && { secretUsed: (secret) => lastUses.note(secret) }),
  });
}

function bootstrapTokenSecrets({ config, vocabulary, storages, accountKeys }: Making): TokenAuthenticator | undefined {
  if (!config["enable-bootstrap-token-auth"]) return undefined;
  const method = bootstrapTokens({ secret: bootstrapSecrets(storages, vocabulary), nowMs: Date.now });
  return forThisServer(accountKeys.audiences, method);
}

/** Tokens issued for clients are accepted under every host name of this server. */
function issuedTokens({ opened: { issued }, accountKeys }: Making): TokenAuthenticator | undefined {
  return issued && forThisServer(accountKeys.audiences, issued);
}

function webhookTokens({ opened: { webhook }, accountKeys }: Making): TokenAuthenticator | undefined {
  return webhook && rememberedWebhook(webhook.tokens(accountKeys.audiences), systemClock);
}

function localToken({ localToken: token }: MethodParts): RequestMethod | undefined {
  return token && { authenticator: localTokenAuthenticator(token) };
}
