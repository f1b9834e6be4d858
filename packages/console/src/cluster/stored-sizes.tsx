import { useEffect, useRef, useState } from "preact/hooks";
import { can, collectionPath, qualifiedName, type Resource } from "../discovery/resource";
import { resources } from "../discovery/resources";
import { DataTable } from "../parts/data-table";
import { asFailure } from "../requests/failure";
import { pagesOf } from "../requests/lists";
import type { ApiObject, ObjectList } from "../values/api-object";
import { bytesText } from "../values/bytes";
import { GROUPINGS, type Grouping, ObjectSizes } from "./object-sizes";
import { numberText } from "./texts";

interface Measured {
  readonly sizes: ObjectSizes;
  /** Resources that could not be read, and why. */
  readonly lacking: readonly string[];
  /** Resource that is being read. */
  readonly reading?: string;
}

const LABELS: Readonly<Record<Grouping, string>> = { kind: "Kind", namespace: "Namespace", manager: "Manager" };

/** Sizes by kind, namespace and manager. All objects are read for them, so that the user asks for it. */
export function StoredSizes() {
  const [measured, setMeasured] = useState<Measured>();
  const ending = useRef<AbortController | undefined>(undefined);
  const stop = () => ending.current?.abort();
  useEffect(() => stop, []);
  const start = () => {
    const begun = new AbortController();
    ending.current = begun;
    measure(resources.value, begun.signal, setMeasured);
  };
  const isReading = measured?.reading !== undefined;
  return (
    <>
      <p>
        {isReading ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="button" onClick={start}>
            Measure
          </button>
        )}{" "}
        <span role="status" class="quiet">
          {measured === undefined
            ? "The sizes are measured by reading all objects that you may list, page by page."
            : progressText(measured)}
        </span>
      </p>
      {measured !== undefined && !isReading && <Sizes measured={measured} />}
    </>
  );
}

function progressText({ sizes, reading }: Measured): string {
  const { objects, bytes } = sizes.total;
  const amount = `${numberText(objects)} objects, ${bytesText(bytes)} as JSON`;
  return reading === undefined ? amount : `${amount}; reading ${reading} …`;
}

function Sizes({ measured: { sizes, lacking } }: { readonly measured: Measured }) {
  return (
    <>
      {lacking.length > 0 && (
        <div class="note">
          <p>Not measured:</p>
          <ul>
            {lacking.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </div>
      )}
      {GROUPINGS.map((grouping) => (
        <DataTable
          key={grouping}
          label={`Sizes by ${grouping}`}
          head={[LABELS[grouping], "Objects", "Bytes"]}
          rows={sizes.by(grouping).map(([name, { objects, bytes }]) => [name, numberText(objects), bytesText(bytes)])}
          none="No objects were read."
        />
      ))}
    </>
  );
}

/** Events have two groups with the same objects. */
const isCopy = ({ name, group }: Resource) => name === "events" && group !== "";

async function measure(
  all: readonly Resource[],
  signal: AbortSignal,
  show: (measured: Measured) => void,
): Promise<void> {
  const sizes = new ObjectSizes();
  const lacking: string[] = [];
  for (const resource of all.filter((each) => can(each, "list") && can(each, "watch") && !isCopy(each))) {
    const name = qualifiedName(resource);
    if (signal.aborted) break;
    try {
      for await (const page of pagesOf<ObjectList<ApiObject>>(collectionPath(resource), { signal })) {
        for (const object of page.items ?? []) sizes.add(name, object);
        show({ sizes, lacking, reading: name });
      }
    } catch (error) {
      if (!signal.aborted) lacking.push(`${name}: ${asFailure(error).message}`);
    }
  }
  show({ sizes, lacking: signal.aborted ? [...lacking, "The measurement was stopped."] : lacking });
}
