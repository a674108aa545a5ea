import { Ajv2020, type ErrorObject, type FuncKeywordDefinition, type ValidateFunction } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import fastJson from "fast-json-stringify";
import { parseAddress } from "../net/addresses.ts";
import { refusal } from "./validation-errors.ts";

/** Schemas → validators and serialisers. Each is compiled at its first use, because hundreds of endpoints would slow down the start. */
export interface Schemas {
  /** Throws `invalid_request` with every invalid field. JSON values are never coerced. */
  body(schema: object): (value: unknown) => void;
  /** The same for path and query: "5" becomes 5, in place. */
  text(schema: object, where: string): (value: unknown) => void;
  answer(schema: object): (value: unknown) => string;
}

/** `checkAnswers` validates every response against its schema: for tests and development. */
export function createSchemas({ checkAnswers }: { checkAnswers: boolean }): Schemas {
  function checker(compiled: (schema: object) => ValidateFunction, schema: object, where: string) {
    let validate: ValidateFunction | undefined;
    return (value: unknown): void => {
      validate ??= compiled(schema);
      if (!validate(value)) throw refusal(where, validate.errors ?? []);
    };
  }
  /** Most bodies are valid. In an invalid one all mistakes are searched, unless it is too large. */
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
            throw new Error(`The response does not match the contract: ${errorsText(validate.errors)}`);
        }
        write ??= writer(schema);
        return write(value);
      };
    },
  };
}

/** Equal schemas share their compiled functions, also between the gateways of one process. */
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
    // A test validates the schemas: at each start it would take longer than all other compilation.
    meta: false,
    validateSchema: false,
  });
  // The package's types describe its CommonJS form; with ESM the function is the default export.
  (ajvFormats as unknown as (it: Ajv2020) => void)(made);
  made.addFormat("ip", (text) => parseAddress(text) !== undefined);
  made.addVocabulary(["x-names", "x-not-supported", "x-references", "x-refers-to", "x-secret", "x-sent-to"]);
  made.removeKeyword("pattern");
  made.addKeyword(pattern);
  return made;
}

const errorsText = (errors: readonly ErrorObject[] | null | undefined): string =>
  (errors ?? []).map(({ instancePath, message }) => `data${instancePath} ${message}`).join(", ");

/**
 * `pattern`, except for texts that `maxLength` refuses: some patterns need quadratic time to fail, and a body can have
 * a million characters. One character of `maxLength` is at most two of `length`.
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
  error: { message: "has an invalid format" },
};

/** Maximum number of values in a body that is searched for all mistakes. A hundred thousand would block the thread for a second. */
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
