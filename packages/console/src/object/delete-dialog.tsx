import { useState } from "preact/hooks";
import { objectPath, type Resource } from "../discovery/resource";
import { Dialog } from "../parts/dialog";
import { FailureNote } from "../parts/failure-note";
import { useIsShown } from "../parts/use-is-shown";
import { request } from "../requests/api";
import { asFailure, type Failure } from "../requests/failure";
import type { ApiObject } from "../values/api-object";

interface Props {
  readonly resource: Resource;
  readonly object: ApiObject;
  readonly close: () => void;
}

/** Asks before an object is deleted. The deletion is refused when the object has been replaced by another of its name. */
export function DeleteDialog({ resource, object, close }: Props) {
  const { name, namespace, uid } = object.metadata;
  const [propagationPolicy, setPolicy] = useState("Background");
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const isShown = useIsShown();
  const remove = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      const body = { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy, preconditions: { uid } };
      await request(objectPath(resource, namespace, name), { method: "DELETE", body });
      if (isShown()) close();
    } catch (error) {
      setFailure(asFailure(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={`Delete ${resource.kind} ${name}?`} close={close}>
      {failure !== undefined && <FailureNote failure={failure} subject="The deletion" />}
      <label>
        Dependents{" "}
        <select value={propagationPolicy} onChange={(event) => setPolicy(event.currentTarget.value)}>
          <option value="Background">are deleted afterwards</option>
          <option value="Foreground">are deleted first</option>
          <option value="Orphan">stay, without this owner</option>
        </select>
      </label>
      <p class="buttons">
        <button type="button" onClick={close}>
          Keep it
        </button>
        <button type="button" class="danger" disabled={isBusy} onClick={remove}>
          Delete it
        </button>
      </p>
    </Dialog>
  );
}
