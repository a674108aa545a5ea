import { Problem } from "@portcullis/contract/problem";
import { documentLimits } from "@portcullis/contract/subsystems/configuration";
import { readYaml } from "../config/yaml.ts";

/** A configuration document in YAML, with the parser of the bootstrap file: without aliases and tags. */
export function readDocument(text: string): unknown {
  if (text.length > documentLimits.yamlBytes)
    throw new Problem("payload_too_large", { limit: documentLimits.yamlBytes }, { message: tooLarge });
  const yaml = readYaml(text);
  if (yaml.kind === "broken") {
    const [first] = yaml.errors;
    throw refused(first!.position, first!.message);
  }
  const [finding] = yaml.findings;
  if (finding) throw refused(yaml.positionOf(finding.pointer, finding.at), `${finding.pointer} ${finding.message}`);
  return yaml.value;
}

const refused = ({ line, column }: { readonly line: number; readonly column: number }, message: string): Problem =>
  new Problem("invalid_request", { line, column }, { message: `Line ${line}, column ${column}: ${message}` });

const tooLarge = `A document in YAML has at most ${documentLimits.yamlBytes} characters; a larger one must be JSON`;
