import { useEffect } from "preact/hooks";
import { loadResources, resources } from "../discovery/resources";
import { FailureNote } from "../parts/failure-note";
import { Loading } from "../parts/loading";
import { useLoaded } from "../parts/use-loaded";
import { route } from "../routes/router";
import { presentUser, signIn } from "../session/session";
import { names } from "../session/settings";
import { Layout } from "./layout";
import { PAGES } from "./pages";
import { SignInPage } from "./sign-in-page";

export function App() {
  const { value } = signIn;
  if (value.state === "starting") return <Loading subject="the console" />;
  if (value.state === "asking") return <SignInPage words={value.words} />;
  return (
    <Layout>
      <Discovered />
    </Layout>
  );
}

/** Shows the page of the route once the resources of the server are known. */
function Discovered() {
  const user = presentUser.value;
  const { failure, isLoading, again } = useLoaded(() => loadResources(names().discovery), [user]);
  const { page } = route.value;
  useEffect(() => window.scrollTo(0, 0), [page]);
  if (failure !== undefined && resources.value.length === 0)
    return <FailureNote failure={failure} subject="The list of resources" again={again} />;
  if (isLoading && resources.value.length === 0) return <Loading subject="the resources of the server" />;
  const found = page === "" ? PAGES[0] : PAGES.find((each) => each.path === page);
  if (found === undefined)
    return (
      <div class="note" role="alert">
        <h1>No such page</h1>
        <p>
          The console has no page <code>{page}</code>. Choose one in the navigation.
        </p>
      </div>
    );
  const View = found.view;
  return <View key={JSON.stringify(user)} route={route.value} />;
}
