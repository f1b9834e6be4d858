import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { FailureNote } from "./failure-note";
import { Loading } from "./loading";
import type { Loaded } from "./use-loaded";
import "./section.css";

/** A section of the page, named by its heading. */
export function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  const heading = useId();
  return (
    <section class="section" aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      {children}
    </section>
  );
}

interface PartProps<T> {
  /** The request, as a noun: "The metrics". */
  readonly subject: string;
  readonly loaded: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows the loaded value. A failure of a later request is told above what is known. */
export function Part<T>({ subject, loaded, children }: PartProps<T>) {
  const { value, failure, again } = loaded;
  return (
    <>
      {failure !== undefined && <FailureNote failure={failure} subject={subject} again={again} />}
      {value !== undefined && children(value)}
      {value === undefined && failure === undefined && (
        <Loading subject={subject.charAt(0).toLowerCase() + subject.slice(1)} />
      )}
    </>
  );
}
