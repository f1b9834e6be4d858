// The client of a service that is compatible with S3. The libraries are loaded when the first client is made: 150 ms and
// 20 MiB, see docs/dependencies.md. Answers are limited, because the service may be anything.
import { readFileSync } from "node:fs";
import { Readable, Transform } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import { BackupError } from "../content/backup-error";
import type { S3Options } from "./s3-options";

/** Limit of an answer that is no backup. The longest is a list of PAGE_KEYS keys. */
const ANSWER_MAX_BYTES = 1024 * 1024;
/** Limit of an answer that tells an error. */
const ERROR_MAX_BYTES = 64 * 1024;
const CONNECT_MS = 10_000;
/** Time without data after which a request fails. */
const SILENCE_MS = 30_000;
const ATTEMPTS = 3;
const MESSAGE_MAX = 300;

/** Loads the libraries, which takes a while. */
export function loadS3(): { readonly client: typeof import("@aws-sdk/client-s3") } {
  // The libraries warn on standard error of each release of Node.js that they are going to leave.
  process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
  require("@aws-sdk/lib-storage");
  require("@aws-sdk/credential-provider-ini");
  return { client: require("@aws-sdk/client-s3") as typeof import("@aws-sdk/client-s3") };
}

/** @throws BackupError for a file that cannot be read */
export function newS3Client(options: S3Options): S3Client {
  const { client } = loadS3();
  const { endpoint, region, credentialsFile, caFile, isPathStyle } = options;
  const ca = caFile === undefined ? undefined : readNamed(caFile);
  if (credentialsFile !== undefined) readNamed(credentialsFile);
  const made = new client.S3Client({
    region: region ?? process.env["AWS_REGION"] ?? process.env["AWS_DEFAULT_REGION"] ?? "us-east-1",
    ...(endpoint !== undefined && { endpoint }),
    ...(credentialsFile !== undefined && { credentials: credentialsIn(credentialsFile) }),
    forcePathStyle: isPathStyle,
    maxAttempts: ATTEMPTS,
    // Services other than AWS do not know newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: SILENCE_MS,
      throwOnRequestTimeout: true,
      socketTimeout: SILENCE_MS,
      ...(ca !== undefined && { httpsAgent: { ca } }),
    },
  });
  made.middlewareStack.add(limitAnswers as Parameters<typeof made.middlewareStack.add>[0], {
    step: "deserialize",
    priority: "low",
    name: "limitAnswers",
  });
  return made;
}

function credentialsIn(filepath: string) {
  const { fromIni } = require("@aws-sdk/credential-provider-ini") as typeof import("@aws-sdk/credential-provider-ini");
  // Only the named file counts: neither another profile of the environment nor the files of the home directory.
  return fromIni({ profile: "default", filepath, configFilepath: filepath, ignoreCache: true });
}

function readNamed(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new BackupError(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

interface Answer {
  readonly response?: { readonly statusCode?: number; body?: unknown };
}

interface Call {
  readonly commandName?: string;
}

/** Middleware next to the HTTP handler: ends an answer that exceeds its limit. */
const limitAnswers =
  (next: (call: unknown) => Promise<Answer>, { commandName }: Call) =>
  async (call: unknown): Promise<Answer> => {
    const answer = await next(call);
    const { response } = answer;
    if (response === undefined || !(response.body instanceof Readable)) return answer;
    const isError = (response.statusCode ?? 0) >= 300;
    if (!isError && commandName === "GetObjectCommand") return answer;
    response.body = limited(response.body, isError ? ERROR_MAX_BYTES : ANSWER_MAX_BYTES, response.statusCode ?? 0);
    return answer;
  };

function limited(body: Readable, maxBytes: number, status: number): Readable {
  let bytes = 0;
  const limit = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      if (bytes <= maxBytes) done(null, piece);
      else done(new BackupError(`it answers with status ${status} and more than ${maxBytes} bytes`));
    },
  });
  body.once("error", (error) => limit.destroy(error));
  limit.once("close", () => body.destroy());
  return body.pipe(limit);
}

/** Converts a failure of a call. Its text may come from the service: it is shortened and has no control characters. */
export function s3Error(what: string, error: unknown): Error {
  if (error instanceof BackupError) return new BackupError(`${what}: ${error.message}`, { cause: error });
  if (!(error instanceof Error)) return new BackupError(`${what}: ${String(error)}`);
  const { name, message, $metadata } = error as Error & { readonly $metadata?: { readonly httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode === undefined ? "" : ` (status ${$metadata.httpStatusCode})`;
  const told = `${name === "Error" || message.includes(name) ? "" : `${name}: `}${message}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed
  const text = told.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").slice(0, MESSAGE_MAX);
  return new BackupError(`${what}: ${text}${status}`, { cause: undefined });
}
