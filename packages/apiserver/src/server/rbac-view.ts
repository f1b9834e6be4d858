// Roles and bindings as the authorizer reads them.
import type { RbacView } from "@orch/auth";
import type { JsonObject } from "@orch/schema";
import type { ObjectMirror } from "./object-mirror";

export interface RbacMirrors {
  readonly clusterRoles: ObjectMirror;
  readonly clusterRoleBindings: ObjectMirror;
  readonly roles: ObjectMirror;
  readonly roleBindings: ObjectMirror;
}

export class MirroredRbacView implements RbacView {
  private readonly all: readonly ObjectMirror[];

  constructor(private readonly mirrors: RbacMirrors) {
    this.all = Object.values(mirrors);
  }

  get version(): number {
    let sum = 0;
    for (const mirror of this.all) {
      mirror.refresh();
      sum += mirror.version;
    }
    return sum;
  }

  clusterRole(name: string): JsonObject | undefined {
    return this.mirrors.clusterRoles.get("", name);
  }

  role(namespace: string, name: string): JsonObject | undefined {
    return this.mirrors.roles.get(namespace, name);
  }

  clusterRoleBindings(): Iterable<JsonObject> {
    return this.mirrors.clusterRoleBindings.of("");
  }

  roleBindings(namespace: string): Iterable<JsonObject> {
    return this.mirrors.roleBindings.of(namespace);
  }
}
