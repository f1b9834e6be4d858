// DefaultTolerationSeconds plugin: lets pods stay for a limited time on a node that is not ready or unreachable.
// Source: plugin/pkg/admission/defaulttolerationseconds/admission.go.

import { definePlugin } from "../contract/plugin";
import { ON_PODS, specOf } from "../pods/pod-parts";
import { addTolerations, type Toleration, tolerationsOf } from "../pods/tolerations";

const EFFECT = "NoExecute";

export const defaultTolerationSeconds = definePlugin({
  name: "DefaultTolerationSeconds",
  reads: ["vocabulary", "options"],
  make({ vocabulary: { taints }, options }) {
    const defaults = [
      { key: taints.nodeNotReady, seconds: options.notReadyTolerationSeconds },
      { key: taints.nodeUnreachable, seconds: options.unreachableTolerationSeconds },
    ];
    return {
      on: ON_PODS,
      mutate({ object }) {
        const spec = specOf(object);
        if (spec === undefined) return;
        const own = tolerationsOf(spec).filter(({ effect = "" }) => effect === EFFECT || effect === "");
        const missing = defaults.filter(({ key }) => !own.some((each) => speaksOf(each, key)));
        addTolerations(
          spec,
          missing.map(({ key, seconds }) => ({ key, operator: "Exists", effect: EFFECT, tolerationSeconds: seconds })),
        );
      },
    };
  },
});

const speaksOf = ({ key: own = "" }: Toleration, key: string): boolean => own === "" || own === key;
