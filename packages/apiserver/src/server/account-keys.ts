// Keys and issuers of service account tokens. Key files are read again when they change.
import {
  type AccountTokenIssuer,
  accountTokenIssuer,
  KeyRing,
  parseSigningKey,
  parseVerificationKeys,
  type SigningKey,
  signToken,
  type VerificationKey,
} from "@orch/auth";
import { internalError } from "@orch/machinery";
import { readOptionFile } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import { type ExternalSigner, type ReloadParts, reloadWhenChanged, type ServerConfig } from "@orch/server-config";

export interface AccountKeysParts extends ReloadParts {
  readonly config: ServerConfig;
  readonly vocabulary: Vocabulary;
  /** PEM of the private key that signs when no option names one; undefined: the server issues no tokens then. */
  readonly ownKey: string | undefined;
  /** Signer outside of the server, which replaces all keys of files. */
  readonly signer?: ExternalSigner | undefined;
}

export interface AccountKeys {
  readonly ring: KeyRing;
  /** Issuers whose tokens are accepted; the first one signs. */
  readonly issuers: readonly string[];
  /** Audiences of this server. */
  readonly audiences: readonly string[];
  /** Undefined without a signing key. */
  readonly issuer: AccountTokenIssuer | undefined;
  /** Returns the keys of the published key set. */
  published(): readonly VerificationKey[];
  /** Fetches the keys again unless one has this id. Undefined for keys of files. */
  readonly refresh: ((keyId: string) => Promise<void>) | undefined;
  /** Maximum lifetime of tokens in seconds that the signer allows; infinite for keys of files. */
  readonly maxSeconds: number;
  stop(): void;
}

/** @throws Error for a file that cannot be used, naming its option */
export function openAccountKeys(parts: AccountKeysParts): AccountKeys {
  return parts.signer === undefined ? keysOfFiles(parts) : keysOfSigner(parts.signer, parts);
}

function keysOfSigner(signer: ExternalSigner, { config, vocabulary }: AccountKeysParts): AccountKeys {
  const issuers = issuersOf(config, vocabulary, true);
  const audiences = audiencesOf(config, issuers);
  const sign = async (claims: object): Promise<string> => {
    try {
      return await signer.sign(claims);
    } catch (error) {
      throw internalError(`failed to generate token: ${(error as Error).message}`);
    }
  };
  return {
    ring: signer.ring,
    ...{ issuers, audiences },
    issuer: accountTokenIssuer({ vocabulary, sign, issuer: issuers[0] as string, audiences }),
    published: () => signer.published,
    refresh: (keyId) => signer.refreshFor(keyId),
    maxSeconds: signer.maxSeconds,
    stop: () => signer.close(),
  };
}

function keysOfFiles({ config, vocabulary, ownKey, ...reloads }: AccountKeysParts): AccountKeys {
  const ring = new KeyRing();
  const stops: (() => void)[] = [];
  const keep = (option: string, file: string, use: (pem: string) => void): void => {
    const load = () => {
      const pem = readOptionFile(option, file);
      try {
        use(pem);
      } catch (error) {
        throw new Error(`--${option}: ${file}: ${(error as Error).message}`, { cause: error });
      }
    };
    load();
    stops.push(reloadWhenChanged(reloads, { option, file }, load));
  };
  let signing: SigningKey | undefined;
  const sign = (pem: string): void => {
    signing = parseSigningKey(pem);
    ring.replace("signing", [signing]);
  };
  const signingFile = config["service-account-signing-key-file"];
  if (signingFile !== "") keep("service-account-signing-key-file", signingFile, sign);
  else if (ownKey !== undefined) sign(ownKey);
  for (const file of config["service-account-key-file"]) {
    keep("service-account-key-file", file, (pem) => ring.replace(file, parseVerificationKeys(pem)));
  }
  const tlsKey = config["tls-private-key-file"];
  if (ring.keys.length === 0 && tlsKey !== "") {
    keep("tls-private-key-file", tlsKey, (pem) => ring.replace(tlsKey, keysIfAny(pem)));
  }
  if (signing === undefined)
    reloads.logger.warn(
      "the server issues no service account tokens: --service-account-signing-key-file contains no key",
    );
  const issuers = issuersOf(config, vocabulary, signing !== undefined);
  const audiences = audiencesOf(config, issuers);
  const issuer =
    signing === undefined
      ? undefined
      : accountTokenIssuer({
          vocabulary,
          sign: (claims) => signToken(claims, signing as SigningKey),
          ...{ issuer: issuers[0] as string, audiences },
        });
  return {
    ...{ ring, issuers, audiences, issuer },
    published: () => ring.keys,
    refresh: undefined,
    maxSeconds: Number.POSITIVE_INFINITY,
    stop: () => stopAll(stops),
  };
}

/** Returns the keys of certificates, of which some cannot verify tokens. */
function keysIfAny(pem: string): readonly VerificationKey[] {
  try {
    return parseVerificationKeys(pem);
  } catch {
    return [];
  }
}

function issuersOf(config: ServerConfig, { dnsNames }: Vocabulary, signs: boolean): readonly string[] {
  const named = config["service-account-issuer"].filter((issuer) => issuer !== "");
  return named.length === 0 && signs ? [`https://${dnsNames.defaultSvc}`] : named;
}

function audiencesOf(config: ServerConfig, issuers: readonly string[]): readonly string[] {
  const named = config["api-audiences"];
  const formerly = config["service-account-api-audiences"];
  if (named.length > 0) return named;
  return formerly.length > 0 ? formerly : issuers.slice(0, 1);
}

function stopAll(stops: readonly (() => void)[]): void {
  for (const stop of stops) stop();
}
