// Buckets as options of commands: s3://bucket/prefix in place of a folder, and how the service is reached.
import type { BackupTarget, S3Options } from "@orch/backup";
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";

export interface S3CommandOptions {
  readonly s3Endpoint?: string;
  readonly s3Region?: string;
  readonly s3CredentialsFile?: string;
  readonly s3CaFile?: string;
  readonly s3PathStyle?: boolean;
}

export const S3_HELP = `
A place s3://BUCKET/PREFIX is a folder in a bucket of S3 or of a compatible service. Credentials come from the file, the
environment (AWS_ACCESS_KEY_ID), the files of the AWS CLI or the identity of the machine, never from an option.`;

export function addS3Options(command: Command): Command {
  return command
    .option("--s3-endpoint <url>", "URL of the service (default: AWS)")
    .option("--s3-region <region>", "region of the bucket (default: AWS_REGION, else us-east-1)")
    .option("--s3-credentials-file <file>", "file with aws_access_key_id and aws_secret_access_key in [default]")
    .option("--s3-ca-file <file>", "authorities of the service's certificate")
    .option("--s3-path-style", "name the bucket in the path, as most services other than AWS require");
}

export interface S3Backup {
  /** The folder in the bucket. */
  readonly target: BackupTarget;
  /** Name of one backup; undefined when the URL names a folder. */
  readonly name: string | undefined;
}

/** Opens the folder of an s3 URL. @returns undefined for a path of this machine @throws CliError */
export function s3Place(session: Session, place: string, options: S3CommandOptions): S3Backup | undefined {
  const { asFolder, endpointProblem, isS3Url, readBackupName, readS3Url, S3Target } =
    require("@orch/backup") as typeof import("@orch/backup");
  if (!isS3Url(place)) return undefined;
  const { s3Endpoint: endpoint } = options;
  const problem = endpoint === undefined ? undefined : endpointProblem(endpoint);
  if (problem !== undefined) throw new CliError(`--s3-endpoint: ${problem}`);
  const { bucket, path } = named(() => readS3Url(place));
  const at = path.lastIndexOf("/") + 1;
  const last = path.slice(at);
  const name = readBackupName(last) === undefined ? undefined : last;
  const prefix = asFolder(name === undefined ? path : path.slice(0, at));
  const { s3Region: region, s3CredentialsFile: credentialsFile, s3CaFile: caFile, s3PathStyle } = options;
  const all: S3Options = {
    bucket,
    prefix,
    endpoint,
    region,
    credentialsFile,
    caFile,
    isPathStyle: s3PathStyle === true,
  };
  const target = new S3Target(all);
  session.closeLater(target);
  return { target, name };
}

function named<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new CliError((error as Error).message);
  }
}
