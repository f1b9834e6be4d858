// Maps the entries of one definition to entries of the definition that replaces it. Each entry is mapped once, over the
// same bytes.
import { equivalentForm, type ResourceForm } from "./resource-form";
import type { StoredEntry } from "./stored-entry";

export class EntryMapping {
  private readonly forms = new Map<ResourceForm, ResourceForm | undefined>();
  private readonly made = new Map<StoredEntry, StoredEntry>();

  constructor(private readonly next: ResourceForm) {}

  /** @returns undefined for an entry whose bytes must be parsed again */
  of(entry: StoredEntry): StoredEntry | undefined {
    const known = this.made.get(entry);
    if (known !== undefined) return known;
    const form = this.formFor(entry.form);
    if (form === undefined) return undefined;
    const made = entry.under(form);
    this.made.set(entry, made);
    return made;
  }

  /** Whether all entries of a definition can be mapped. */
  hasAllOf(form: ResourceForm): boolean {
    const forms = form.byVersion === undefined ? [form] : [...form.byVersion.values()];
    return forms.every((each) => equivalentForm(each, this.next) !== undefined);
  }

  private formFor(form: ResourceForm): ResourceForm | undefined {
    if (!this.forms.has(form)) this.forms.set(form, equivalentForm(form, this.next));
    return this.forms.get(form);
  }
}
