// Completes the address fields of services that older releases stored. Source: pkg/registry/core/service/strategy.go.

import type { Features } from "@orch/apis-model";
import { type Completion, compareReleases, familyOf } from "@orch/machinery";
import type { coreV1, JsonObject } from "@orch/schema";
import { isHeadless } from "./service-kinds";

/** Address fields that the objects of a release have. */
export interface ShownFields {
  readonly families: boolean;
  readonly addressList: boolean;
}

/** First release with `clusterIPs`. */
const LISTS_SINCE = "1.20";

export const shownBy = (release: string, features: Features): ShownFields => ({
  families: features.isOn("IPv6DualStack"),
  addressList: compareReleases(LISTS_SINCE, release) <= 0,
});

type Spec = { -readonly [Field in keyof coreV1.ServiceSpec]?: coreV1.ServiceSpec[Field] | undefined };

export function serviceCompletion(at: { readonly release: string; readonly features: Features }): Completion {
  const { families, addressList } = shownBy(at.release, at.features);
  return {
    members: [...(addressList ? [{ name: "clusterIPs" }] : []), ...(families ? [{ name: "ipFamilies" }] : [])],
    complete({ spec: read }: JsonObject) {
      const spec = (read ?? {}) as Spec;
      if (spec.type === "ExternalName") return;
      if (addressList && spec.clusterIP && (spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [spec.clusterIP];
      if (families) nameFamilies(spec);
    },
  };
}

/** Sets the families of the allocated addresses. The families of a headless service are not known. */
function nameFamilies(spec: Spec): void {
  const { clusterIPs = [] } = spec;
  if ((spec.ipFamilies ?? []).length > 0 || clusterIPs.length === 0 || isHeadless(spec)) return;
  spec.ipFamilies = clusterIPs.map((address) => familyOf(address) ?? "IPv4");
  spec.ipFamilyPolicy ??= clusterIPs.length > 1 ? "RequireDualStack" : "SingleStack";
}
