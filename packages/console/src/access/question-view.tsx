import { resources } from "../discovery/resources";
import type { PageProps } from "../parts/page-view";
import { readQuestion, understood } from "./question";
import { QuestionAnswer } from "./question-answer";
import { QuestionForm } from "./question-form";

/** One question: whether the user may act, why, and who else may. The address holds it. */
export function QuestionView({ route }: PageProps) {
  const question = readQuestion(route.query);
  const found = understood(question, resources.value);
  return (
    <>
      <QuestionForm key={JSON.stringify(question)} question={question} />
      {found !== undefined && (
        <>
          {!found.isKnown && (
            <p class="note">The server does not serve this resource. Rules may name it all the same.</p>
          )}
          <QuestionAnswer asked={found.asked} />
        </>
      )}
    </>
  );
}
