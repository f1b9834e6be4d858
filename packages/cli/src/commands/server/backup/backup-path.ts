/** Path at which a server with an embedded store gives its backup. A server on etcd refuses it, and names its etcd. */
export const BACKUP_PATH = "/debug/backup";
