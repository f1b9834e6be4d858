// Protection of persistent volumes: a deleted volume stays while it is bound to a claim. Source: Kubernetes
// documentation, "Persistent Volumes", "Storage Object in Use Protection".
import { builtInTypes, InformerFactory } from "@orch/client";
import { vocabularyOf } from "@orch/schema";
import { type ProtectionContext, protectionQueue, protectObjects } from "./protect-objects";

/** Runs the controller until the signal is aborted. */
export async function protectVolumes(context: ProtectionContext, signal: AbortSignal): Promise<void> {
  const { client } = context;
  const factory = new InformerFactory(client);
  const type = builtInTypes(client.vocabulary).persistentVolumes;
  const queue = protectionQueue(context, "pvprotection");
  const objects = factory.informer(type);
  const finalizer = vocabularyOf(client.vocabulary).finalizers.pvProtection;
  const isInUse = ({ status }: { readonly status?: { readonly phase?: string } }) => status?.phase === "Bound";
  factory.start(signal);
  await protectObjects(context, { type, finalizer, objects, isInUse }, queue, signal);
  await factory.stopped();
}
