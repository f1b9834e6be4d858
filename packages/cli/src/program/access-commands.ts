// Commands about users, their rights and their credentials.
import type { CommandEntry } from "./command";

export const ACCESS_COMMANDS: readonly CommandEntry[] = [
  {
    name: "auth",
    group: "access",
    summary: "ask who may do what, and why",
    load: () => import("../commands/access/auth.js"),
  },
  {
    name: "certificate",
    group: "access",
    summary: "request, approve, deny and list certificates that the cluster signs",
    load: () => import("../commands/access/certificate/certificate.js"),
  },
  {
    name: "config",
    group: "access",
    summary: "show, check and change the client configuration",
    load: () => import("../commands/access/config/config.js"),
  },
  {
    name: "login",
    group: "access",
    summary: "log in with an OpenID Connect provider",
    load: () => import("../commands/access/login/login.js"),
  },
  {
    name: "logout",
    group: "access",
    summary: "remove and revoke the tokens of a login",
    load: () => import("../commands/access/login/logout.js"),
  },
  {
    name: "whoami",
    group: "access",
    summary: "show the user that the server sees",
    load: () => import("../commands/access/whoami-command.js"),
  },
  {
    name: "try",
    group: "move",
    summary: "show what each step of admission decides and changes, without a write",
    load: () => import("../commands/try/try.js"),
  },
];
