// Options of scheduled backups.
import { type FlagTable, section } from "@orch/machinery";

export const BACKUP_FLAGS = section("Backups", {
  "backup-schedule": {
    type: "string",
    default: "",
    help: 'times of backups: a cron expression of five fields in UTC, such as "0 3 * * *", @daily, or an interval such as 6h; one replica makes each backup, and a missed one is made up once; empty: no backups; needs --backup-dir or --backup-s3-bucket',
  },
  "backup-dir": {
    type: "string",
    default: "",
    help: "folder that receives the backups; created when missing",
  },
  "backup-retention": {
    type: "int",
    default: "24",
    min: 1,
    help: "number of backups that stay, in the folder and in the bucket; older ones are removed once a new one has been checked",
  },
  "backup-retention-age": {
    type: "duration",
    default: "0s",
    min: 0,
    help: "age from which backups are removed, at most two with each new one; the newest one stays; 0: any age",
  },
  "backup-s3-bucket": {
    type: "string",
    default: "",
    help: "bucket that receives the backups, of S3 or of a compatible service; empty: none",
  },
  "backup-s3-prefix": {
    type: "string",
    default: "",
    help: "folder in the bucket; only backups in it, with names that the server gives, are listed and removed",
  },
  "backup-s3-endpoint": {
    type: "string",
    default: "",
    help: "URL of the service; empty: that of AWS for the region",
  },
  "backup-s3-region": {
    type: "string",
    default: "",
    help: "region of the bucket; empty: AWS_REGION of the environment, else us-east-1",
  },
  "backup-s3-credentials-file": {
    type: "string",
    default: "",
    help: "file with aws_access_key_id and aws_secret_access_key in the section [default]; read for each backup; empty: the environment, the files of the AWS CLI, or the identity of the machine",
  },
  "backup-s3-ca-file": {
    type: "string",
    default: "",
    help: "file with the CAs of the service's certificate; empty: those of the system",
  },
  "backup-s3-path-style": {
    type: "bool",
    default: "false",
    help: "names the bucket in the path of requests, and not in the host name, as most services other than AWS require",
  },
}) satisfies FlagTable;
