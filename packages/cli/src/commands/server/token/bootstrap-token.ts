// Bootstrap tokens: Secrets with which machines join. Source: Kubernetes documentation, "Authenticating with Bootstrap
// Tokens"; kubeadm's commands and their texts (cmd/kubeadm/app/cmd/token.go).
import { randomInt } from "node:crypto";
import {
  BOOTSTRAP_SECRET_PREFIX,
  bootstrapExpiryMs,
  bootstrapExtraGroups,
  bootstrapSecretFlaws,
  bootstrapText,
} from "@orch/machinery";
import { type coreV1, type JsonObject, type VocabularyName, vocabularyOf } from "@orch/schema";
import { CliError } from "../../../process/cli-error";

/** Purposes of a token, as `usage-bootstrap-<name>` of the Secret. */
const USAGES = ["signing", "authentication"] as const;
type TokenUsage = (typeof USAGES)[number];

export interface NewToken {
  readonly id: string;
  readonly secret: string;
  readonly usages: readonly TokenUsage[];
  readonly groups: readonly string[];
  readonly description: string;
  /** Milliseconds since 1970; Infinity for a token without an end. */
  readonly expiresAtMs: number;
}

export interface TokenRow {
  readonly token: string;
  /** Absent for a token without an end. */
  readonly expires?: string;
  readonly usages: readonly string[];
  readonly description: string;
  readonly groups: readonly string[];
  /** Reasons why the token does not work. */
  readonly flaws: readonly string[];
}

const CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const [ID_LENGTH, SECRET_LENGTH] = [6, 16];
const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const TOKEN_ID = /^[a-z0-9]{6}$/;

const randomText = (length: number): string =>
  Array.from({ length }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join("");

/** Splits a token, or makes one. @throws CliError for a text of another form, which the message does not repeat */
export function tokenParts(text: string | undefined): Pick<NewToken, "id" | "secret"> {
  if (text === undefined) return { id: randomText(ID_LENGTH), secret: randomText(SECRET_LENGTH) };
  const [, id, secret] = TOKEN.exec(text) ?? [];
  if (id === undefined || secret === undefined) {
    throw new CliError("the token must have the form abcdef.0123456789abcdef: 6 and 16 characters of [a-z0-9]");
  }
  return { id, secret };
}

/** Returns the public part of a token or of a token id. @throws CliError */
export function tokenId(text: string): string {
  if (TOKEN_ID.test(text)) return text;
  const [, id] = TOKEN.exec(text) ?? [];
  if (id !== undefined) return id;
  throw new CliError(
    `${JSON.stringify(text.slice(0, ID_LENGTH))}… is not a token or its id: give the 6 characters of [a-z0-9] before the dot`,
  );
}

export function usagesIn(text: string): readonly TokenUsage[] {
  return text.split(",").map((word) => {
    const usage = USAGES.find((each) => each === word.trim());
    if (usage !== undefined) return usage;
    throw new CliError(`--usages: ${JSON.stringify(word)} is not known: use ${USAGES.join(", ")}`);
  });
}

export const secretName = (id: string): string => `${BOOTSTRAP_SECRET_PREFIX}${id}`;

/** Returns the Secret of a token. @throws CliError for groups that no token may have */
export function tokenSecret(token: NewToken, vocabulary: VocabularyName): coreV1.Secret {
  const { namespaces, secretTypes } = vocabularyOf(vocabulary);
  const texts: Record<string, string> = {
    "token-id": token.id,
    "token-secret": token.secret,
    ...Object.fromEntries(token.usages.map((usage) => [`usage-bootstrap-${usage}`, "true"])),
    ...(token.groups.length > 0 && { "auth-extra-groups": token.groups.join(",") }),
    ...(token.description !== "" && { description: token.description }),
    ...(token.expiresAtMs !== Number.POSITIVE_INFINITY && {
      expiration: new Date(token.expiresAtMs).toISOString().replace(/\.\d+Z$/, "Z"),
    }),
  };
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
  );
  const secret = {
    ...{ apiVersion: "v1", kind: "Secret", type: secretTypes.bootstrapToken, data },
    metadata: { name: secretName(token.id), namespace: namespaces.system },
  };
  const [flaw] = bootstrapSecretFlaws(secret);
  if (flaw !== undefined) throw new CliError(flaw);
  return secret as unknown as coreV1.Secret;
}

export function tokenRow(secret: JsonObject): TokenRow {
  const expiresAtMs = bootstrapExpiryMs(secret);
  return {
    token: `${bootstrapText(secret, "token-id")}.${bootstrapText(secret, "token-secret")}`,
    ...(Number.isFinite(expiresAtMs) && { expires: new Date(expiresAtMs).toISOString() }),
    usages: USAGES.filter((usage) => bootstrapText(secret, `usage-bootstrap-${usage}`) === "true"),
    description: bootstrapText(secret, "description"),
    groups: bootstrapExtraGroups(secret),
    flaws: bootstrapSecretFlaws(secret),
  };
}
