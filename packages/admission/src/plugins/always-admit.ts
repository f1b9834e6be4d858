// Lets everything pass, as if it were not there. Source: facts, admission/plugins.md "Exec, events, images, services".
import { definePlugin } from "../plugin";

export const alwaysAdmit = definePlugin({ name: "AlwaysAdmit", reads: [], make: () => ({ on: [] }) });
