// Backups of the store: their content, the folders and buckets that keep them, and the schedule of the API server.

export { type BackupKind, type CheckedBackup, checkedFile, checkedPieces } from "./content/content-check";
export { backupName, backupsAmong, outdated, type Retention, readBackupName } from "./files/backup-names";
export { isFolder, writeWhole } from "./files/whole-file";
export type { BackupRecord } from "./schedule/backup-record";
export { type BackupObserver, BackupScheduler } from "./schedule/backup-scheduler";
export { readBackupTimes } from "./schedule/backup-times";
export type { BackupTarget } from "./targets/backup-target";
export { FolderTarget } from "./targets/folder-target";
export { loadS3 } from "./targets/s3-client";
export {
  asFolder,
  bucketProblem,
  endpointProblem,
  isS3Url,
  prefixProblem,
  readS3Url,
  type S3Options,
} from "./targets/s3-options";
export { S3Target } from "./targets/s3-target";
