// Fields of the entries of a client configuration. Source: client-go/tools/clientcmd/api/v1/types.go.
import type { EntryList } from "../../../connection/configuration-entries";

/** Form of a value. data: bytes in base64. */
export type FieldKind = "text" | "path" | "data" | "boolean" | "list" | "object";

export const FIELDS: Readonly<Record<EntryList, Readonly<Record<string, FieldKind>>>> = {
  clusters: {
    server: "text",
    "tls-server-name": "text",
    "insecure-skip-tls-verify": "boolean",
    "certificate-authority": "path",
    "certificate-authority-data": "data",
    "proxy-url": "text",
    "disable-compression": "boolean",
    extensions: "object",
  },
  users: {
    "client-certificate": "path",
    "client-certificate-data": "data",
    "client-key": "path",
    "client-key-data": "data",
    token: "text",
    tokenFile: "path",
    as: "text",
    "as-uid": "text",
    "as-groups": "list",
    "as-user-extra": "object",
    username: "text",
    password: "text",
    "auth-provider": "object",
    exec: "object",
    extensions: "object",
  },
  contexts: { cluster: "text", user: "text", namespace: "text", extensions: "object" },
};
