export { ageText, spanText } from "./age-text";
