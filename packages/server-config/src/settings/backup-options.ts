// Options of scheduled backups: those that require each other, and their values.
import { asFolder, bucketProblem, endpointProblem, prefixProblem, readBackupTimes, type S3Options } from "@orch/backup";
import type { ServerConfig } from "../flags/server-flags";

/** Without any of these, nothing of the backups is loaded. */
const ALL_OPTIONS = [
  "backup-schedule",
  "backup-dir",
  "backup-s3-bucket",
] as const satisfies readonly (keyof ServerConfig)[];
const S3_OPTIONS = [
  "backup-s3-prefix",
  "backup-s3-endpoint",
  "backup-s3-region",
  "backup-s3-credentials-file",
  "backup-s3-ca-file",
] as const satisfies readonly (keyof ServerConfig)[];
const REGION = /^[a-z0-9-]{1,63}$/;

/** @returns one line per error */
export function backupOptionErrors(config: ServerConfig): string[] {
  if ([...ALL_OPTIONS, ...S3_OPTIONS].every((option) => config[option] === "")) return [];
  const errors: string[] = [];
  const schedule = config["backup-schedule"];
  const [folder, bucket, region] = [config["backup-dir"], config["backup-s3-bucket"], config["backup-s3-region"]];
  const wrong = (option: keyof ServerConfig, problem: string | undefined) => {
    if (problem !== undefined) errors.push(`--${option}: ${problem}`);
  };
  if (schedule !== "") {
    wrong("backup-schedule", problemOf(schedule));
    if (folder === "" && bucket === "") wrong("backup-schedule", "needs --backup-dir or --backup-s3-bucket");
  } else {
    if (folder !== "") wrong("backup-dir", "has no effect without --backup-schedule: set it, or remove the option");
    if (bucket !== "")
      wrong("backup-s3-bucket", "has no effect without --backup-schedule: set it, or remove the option");
  }
  for (const option of S3_OPTIONS)
    if (config[option] !== "" && bucket === "") wrong(option, "needs --backup-s3-bucket");
  if (bucket !== "") wrong("backup-s3-bucket", bucketProblem(bucket));
  wrong("backup-s3-prefix", prefixProblem(config["backup-s3-prefix"]));
  if (config["backup-s3-endpoint"] !== "") wrong("backup-s3-endpoint", endpointProblem(config["backup-s3-endpoint"]));
  if (region !== "" && !REGION.test(region))
    wrong("backup-s3-region", `${JSON.stringify(region)} is not a region: use lower-case letters, digits and hyphens`);
  return errors;
}

function problemOf(schedule: string): string | undefined {
  try {
    readBackupTimes(schedule);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns the bucket that receives backups; undefined when there is none. */
export function backupBucket(config: ServerConfig): S3Options | undefined {
  const bucket = config["backup-s3-bucket"];
  if (bucket === "") return undefined;
  const set = (option: (typeof S3_OPTIONS)[number]) => config[option] || undefined;
  return {
    bucket,
    prefix: asFolder(config["backup-s3-prefix"]),
    endpoint: set("backup-s3-endpoint"),
    region: set("backup-s3-region"),
    credentialsFile: set("backup-s3-credentials-file"),
    caFile: set("backup-s3-ca-file"),
    isPathStyle: config["backup-s3-path-style"],
  };
}
