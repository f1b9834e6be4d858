// AlwaysAdmit plugin: allows every request. Source: plugin/pkg/admission/admit/admission.go.
import { definePlugin } from "../plugin";

export const alwaysAdmit = definePlugin({ name: "AlwaysAdmit", reads: [], make: () => ({ on: [] }) });
