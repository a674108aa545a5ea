import { englishReasons } from "@portcullis/contract/reasons";

/** The gateway's own texts. A placeholder is replaced by the parameter of that name. */
export const reasons = englishReasons;
