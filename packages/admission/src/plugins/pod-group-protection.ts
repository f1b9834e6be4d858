// PodGroupProtection plugin: adds a finalizer to new pod groups. A controller removes it when no running pod names the
// deleted group. Source: plugin/pkg/admission/scheduling/podgroupprotection/admission.go.
import { metaOf, writableMeta } from "@orch/machinery";
import { definePlugin } from "../contract/plugin";

export const podGroupProtection = definePlugin({
  name: "PodGroupProtection",
  reads: ["vocabulary", "options"],
  make({ vocabulary: { finalizers, groups }, options }) {
    const finalizer = finalizers.podGroupProtection;
    const podGroups = { group: groups.scheduling, plural: "podgroups", subresource: "" };
    return {
      on: options.isOn("GenericWorkload") ? [{ operations: ["CREATE"], resources: [podGroups] }] : [],
      mutate({ object }) {
        if (object === undefined) return;
        const { finalizers: present = [] } = metaOf(object);
        if (!present.includes(finalizer)) writableMeta(object)["finalizers"] = [...present, finalizer];
      },
    };
  },
});
