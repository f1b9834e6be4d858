import { ageOf } from "../values/age";
import { timeNow } from "../values/clock";

/** How long ago a time was; the time itself is the title. */
export const TimeText = ({ time }: { readonly time: string | undefined }) =>
  time === undefined ? null : (
    <time dateTime={time} title={time}>
      {ageOf(time, timeNow())} ago
    </time>
  );
