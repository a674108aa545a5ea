import { isIP } from "node:net";
import { Ajv2020, type ErrorObject, type FuncKeywordDefinition, type ValidateFunction } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import fastJson from "fast-json-stringify";
import { refusal } from "./validation-errors.ts";

/** Schemas → checks and serialisers. Each is compiled at its first use: hundreds of endpoints must not slow the start. */
export interface Schemas {
  /** Throws `invalid_request` naming every field that is wrong. JSON is taken as it is, never coerced. */
  body(schema: object): (value: unknown) => void;
  /** The same for what arrives as text: "5" becomes 5, in place. */
  text(schema: object, where: string): (value: unknown) => void;
  answer(schema: object): (value: unknown) => string;
}

/** `checkAnswers` holds every answer against its schema before it leaves: for tests and development. */
export function createSchemas({ checkAnswers }: { checkAnswers: boolean }): Schemas {
  function checker(compiled: (schema: object) => ValidateFunction, schema: object, where: string) {
    let validate: ValidateFunction | undefined;
    return (value: unknown): void => {
      validate ??= compiled(schema);
      if (!validate(value)) throw refusal(where, validate.errors ?? []);
    };
  }
  /** Most bodies are right. Of a wrong one all mistakes are found, unless it is so large that finding them is work. */
  function bodyChecker(schema: object) {
    let first: ValidateFunction | undefined;
    const everyMistake = checker(exact, schema, "body");
    return (value: unknown): void => {
      first ??= firstMistake(schema);
      if (first(value)) return;
      if (isSmall(value)) everyMistake(value);
      throw refusal("body", first.errors ?? []);
    };
  }
  return {
    body: bodyChecker,
    text: (schema, where) => checker(coercing, schema, where),
    answer: (schema) => {
      let write: ((value: unknown) => string) | undefined;
      let validate: ValidateFunction | undefined;
      return (value) => {
        if (checkAnswers) {
          validate ??= exact(schema);
          if (!validate(value))
            throw new Error(`The answer does not match the contract: ${errorsText(validate.errors)}`);
        }
        write ??= writer(schema);
        return write(value);
      };
    },
  };
}

/** Schemas that say the same share what is made of them, also between the gateways of one process. */
function shared<Made>(make: (schema: object) => Made): (schema: object) => Made {
  const known = new Map<string, Made>();
  return (schema) => {
    const text = JSON.stringify(schema);
    const made = known.get(text) ?? make(schema);
    known.set(text, made);
    return made;
  };
}

const exact = shared(compiler({ coerceTypes: false, allErrors: true }));
const firstMistake = shared(compiler({ coerceTypes: false, allErrors: false }));
const coercing = shared(compiler({ coerceTypes: true, allErrors: true }));
const writer = shared((schema) => fastJson(schema, { ajv: { formats: { ip: true } } as object }));

interface CompilerOptions {
  readonly coerceTypes: boolean;
  readonly allErrors: boolean;
}

function compiler(manner: CompilerOptions): (schema: object) => ValidateFunction {
  let made: Ajv2020 | undefined;
  return (schema) => {
    made ??= ajv(manner);
    return made.compile(schema);
  };
}

function ajv({ coerceTypes, allErrors }: CompilerOptions): Ajv2020 {
  const made = new Ajv2020({
    allErrors,
    verbose: true,
    strict: true,
    strictTypes: false,
    coerceTypes,
    // Whether they are schemas is a test's question: to ask at each start takes longer than all else that is compiled then.
    meta: false,
    validateSchema: false,
  });
  // The package's types describe its CommonJS form; under ESM the function is the default export itself.
  (ajvFormats as unknown as (it: Ajv2020) => void)(made);
  made.addFormat("ip", (text) => isIP(text) !== 0);
  made.addVocabulary(["x-names", "x-not-supported", "x-references", "x-secret", "x-sent-to"]);
  made.removeKeyword("pattern");
  made.addKeyword(pattern);
  return made;
}

const errorsText = (errors: readonly ErrorObject[] | null | undefined): string =>
  (errors ?? []).map(({ instancePath, message }) => `data${instancePath} ${message}`).join(", ");

/**
 * `pattern`, but not for a text that `maxLength` refuses anyway: to say no, some patterns take the square of
 * its length, and a body has room for a million characters. A character of `maxLength` is at most two of `length`.
 */
const pattern: FuncKeywordDefinition = {
  keyword: "pattern",
  type: "string",
  schemaType: "string",
  compile: (source: string, parent) => {
    const { maxLength = Infinity } = parent as { maxLength?: number };
    const expression = new RegExp(source, "u");
    return (text: string) => text.length > 2 * maxLength || expression.test(text);
  },
  error: { message: "must have another form" },
};

/** Values in a body of which every mistake is looked for. A hundred thousand wrong ones would take the one thread a second. */
const maxCheckedValues = 1000;

function isSmall(value: unknown): boolean {
  let left = maxCheckedValues;
  const counted = (it: unknown): boolean => {
    left -= 1;
    if (left < 0) return false;
    return typeof it !== "object" || it === null || Object.values(it).every(counted);
  };
  return counted(value);
}
