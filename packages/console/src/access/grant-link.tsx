import { placeText, type RbacResource } from "@orch/access";
import { objectAddress } from "../routes/addresses";
import { rbacResource } from "./rbac-source";

interface Props {
  readonly place: { readonly kind: keyof typeof RESOURCES; readonly namespace: string; readonly name: string };
}

const RESOURCES = {
  Role: "roles",
  ClusterRole: "clusterroles",
  RoleBinding: "rolebindings",
  ClusterRoleBinding: "clusterrolebindings",
} as const satisfies Readonly<Record<string, RbacResource>>;

/** Links to a role or a binding. */
export function GrantLink({ place }: Props) {
  const resource = rbacResource(RESOURCES[place.kind]);
  const text = placeText(place);
  return resource === undefined ? text : <a href={objectAddress(resource, place)}>{text}</a>;
}
