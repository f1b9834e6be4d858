// Options of scheduled backups.
import { describe, expect, test } from "@jest/globals";
import { parseFlags } from "@orch/machinery";
import { SERVER_FLAGS, type ServerConfig } from "../flags/server-flags";
import { backupBucket, backupOptionErrors } from "./backup-options";

const configOf = (...words: string[]) => parseFlags(SERVER_FLAGS, words).config as unknown as ServerConfig;
const HOURLY = "--backup-schedule=1h";
const BUCKET = "--backup-s3-bucket=abc";

describe("options of backups", () => {
  test.each<[string, string[], RegExp]>([
    ["a schedule", ["--backup-schedule=sometimes", "--backup-dir=x"], /^--backup-schedule: "sometimes" is neither/],
    ["a schedule without a place", [HOURLY], /^--backup-schedule: needs --backup-dir or --backup-s3-bucket$/],
    ["a place without a schedule", ["--backup-dir=x"], /^--backup-dir: has no effect without --backup-schedule/],
    ["a bucket without a schedule", [BUCKET], /^--backup-s3-bucket: has no effect without --backup-schedule/],
    ["a prefix without a bucket", ["--backup-s3-prefix=x"], /^--backup-s3-prefix: needs --backup-s3-bucket$/],
    ["a bucket", [HOURLY, "--backup-s3-bucket=A_b"], /^--backup-s3-bucket: "A_b" is not a name of a bucket/],
    [
      "a prefix with a slash",
      [HOURLY, BUCKET, "--backup-s3-prefix=/x"],
      /^--backup-s3-prefix: "\/x" has an empty part/,
    ],
    ["a prefix that leads away", [HOURLY, BUCKET, "--backup-s3-prefix=a/../b"], /^--backup-s3-prefix: .* has a part/],
    [
      "a prefix with a control character",
      [HOURLY, BUCKET, "--backup-s3-prefix=a\u0007"],
      /^--backup-s3-prefix: .*contains/,
    ],
    ["a long prefix", [HOURLY, BUCKET, `--backup-s3-prefix=${"a/".repeat(600)}`], /^--backup-s3-prefix: .*at most 512/],
    ["an endpoint", [HOURLY, BUCKET, "--backup-s3-endpoint=ftp://x"], /^--backup-s3-endpoint: is not a URL/],
    ["a region", [HOURLY, BUCKET, "--backup-s3-region=EU_1"], /^--backup-s3-region: "EU_1" is not a region/],
  ])("%s that is wrong is refused", (_what, words, text) => {
    expect(backupOptionErrors(configOf(...words))).toEqual([expect.stringMatching(text)]);
  });

  test("an endpoint with credentials is refused, and they are not in the message", () => {
    const errors = backupOptionErrors(configOf(HOURLY, BUCKET, "--backup-s3-endpoint=https://me:verysecret@host"));
    expect(errors).toEqual([expect.stringMatching(/^--backup-s3-endpoint: contains credentials/)]);
    expect(errors.join()).not.toContain("verysecret");
  });

  test("that are right name a folder in the bucket", () => {
    const config = configOf(HOURLY, BUCKET, "--backup-s3-prefix=a/b", "--backup-s3-path-style");
    expect(backupOptionErrors(config)).toEqual([]);
    expect(backupBucket(config)).toMatchObject({ bucket: "abc", prefix: "a/b/", isPathStyle: true });
    expect(backupOptionErrors(configOf())).toEqual([]);
    expect(backupBucket(configOf())).toBeUndefined();
  });
});
