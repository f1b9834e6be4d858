import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog";
import { DiffView } from "../parts/diff-view";
import { FailureNote } from "../parts/failure-note";
import { Loading } from "../parts/loading";
import { useIsShown } from "../parts/use-is-shown";
import { useLoaded } from "../parts/use-loaded";
import { asFailure, type Failure } from "../requests/failure";
import type { ApiObject } from "../values/api-object";
import { comparable } from "../values/comparable";
import { yamlOf } from "../values/yaml-text";
import { type ObjectPlace, type Revision, rollBack, stateAt } from "./revisions";

interface Props {
  readonly place: ObjectPlace;
  readonly object: ApiObject;
  readonly revision: Revision;
  readonly close: () => void;
}

/** Shows what a rollback would change, as the server would carry it out, and carries it out. */
export function RollbackDialog({ place, object, revision, close }: Props) {
  const { resourceVersion } = object.metadata;
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const isShown = useIsShown();
  const former = useLoaded((signal) => stateAt(place, revision.resourceVersion, signal), [revision.resourceVersion]);
  const tried = useLoaded(
    () => rollBack(place, revision.resourceVersion, { resourceVersion, dryRun: "All" }),
    [revision.resourceVersion, resourceVersion],
  );
  const go = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await rollBack(place, revision.resourceVersion, { resourceVersion });
      if (isShown()) close();
    } catch (error) {
      setFailure(asFailure(error));
      setBusy(false);
    }
  };
  const shown = tried.value ?? former.value;
  return (
    <Dialog title={`Roll back to ${revision.resourceVersion}?`} close={close}>
      {former.failure !== undefined && <FailureNote failure={former.failure} subject="The former state" />}
      {tried.failure !== undefined && <FailureNote failure={tried.failure} subject="A rollback" />}
      {failure !== undefined && <FailureNote failure={failure} subject="The rollback" />}
      {shown === undefined && former.failure === undefined && <Loading subject="the former state" />}
      {shown !== undefined && (
        <DiffView
          label="Changes of the rollback"
          before={yamlOf(comparable(object))}
          after={yamlOf(comparable(shown))}
        />
      )}
      <p class="quiet">The write takes the way of any update: admission, validation and the conflict rules apply.</p>
      <p class="buttons">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="primary" disabled={isBusy || tried.value === undefined} onClick={go}>
          Roll back
        </button>
      </p>
    </Dialog>
  );
}
