import type { FunctionComponent } from "preact";
import type { PageProps } from "../parts/page-view";
import { Tabs } from "../parts/tabs";
import { useTitle } from "../parts/title";
import { accessAddress } from "../routes/addresses";
import { ImpersonationView } from "./impersonation-view";
import { NamespacesView } from "./namespaces-view";
import { QuestionView } from "./question-view";
import { RightsView } from "./rights-view";
import { UserView } from "./user-view";
import "./access.css";

interface View {
  readonly name: string;
  readonly title: string;
  readonly view: FunctionComponent<PageProps>;
}

const VIEWS: readonly View[] = [
  { name: "user", title: "Who am I", view: UserView },
  { name: "rights", title: "What may I do", view: RightsView },
  { name: "question", title: "Why, and who can", view: QuestionView },
  { name: "namespaces", title: "Namespaces", view: NamespacesView },
  { name: "impersonate", title: "Impersonate", view: ImpersonationView },
];

/** The user, their rights, and questions about access. */
export function AccessPage({ route }: PageProps) {
  useTitle("Access");
  const present = VIEWS.find(({ name }) => name === (route.parts[0] ?? "user"));
  const Shown = present?.view;
  return (
    <>
      <h1>Access</h1>
      <Tabs
        tabs={VIEWS.map(({ name, title }) => ({
          title,
          address: accessAddress(name),
          isPresent: name === present?.name,
        }))}
      />
      {Shown === undefined ? <p class="note">The page has no such view. Choose one above.</p> : <Shown route={route} />}
    </>
  );
}
