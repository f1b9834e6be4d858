/** Flags of the server of `orch up`, which later ones replace. The target `run` of the Makefile has the same. */
export const DEFAULT_FLAGS = [
  "--bind-address=127.0.0.1",
  "--authorization-mode=Node,RBAC",
  "--enable-admission-plugins=NodeRestriction",
  "--enable-bootstrap-token-auth",
];
