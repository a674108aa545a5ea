import { formTexts } from "@portcullis/contract/forms";

/** What a value must look like: "Must be …". The same as in the messages of the gateway. */
export const forms = formTexts;
