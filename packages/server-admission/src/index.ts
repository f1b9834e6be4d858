// Dependencies of admission in the API server: configuration of its plugins, objects that they read, and webhooks.

export { type AccessReaders, admissionDependencies } from "./dependencies/admission-dependencies";
export { type AdmissionReaders, ownReaders } from "./dependencies/admission-readers";
export { conversionReader } from "./dependencies/conversion-reader";
export { type ObjectAccessDeps, objectWriter } from "./dependencies/object-access";
export { type PluginConfigurations, readPluginConfigurations } from "./dependencies/plugin-configurations";
export { pluginOptions } from "./dependencies/plugin-options";
export { type OpenRemoteServices, openRemoteServices } from "./dependencies/remote-services";
export { type OfferedReaders, offeredReaders, workerReaders } from "./dependencies/worker-readers";
export { AdmissionManifests } from "./manifests/admission-manifests";
export { AdmissionWebhooks } from "./webhooks/admission-webhooks";
export { type OfferedWebhooks, offeredWebhooks, workerWebhooks } from "./webhooks/worker-webhooks";
