import { because, literal, type Reason } from "@portcullis/contract/reason";

interface Idle {
  readonly interface: string;
  readonly coded_reason: Reason | null;
}

/** An interface without its service, and why. */
export const interfaceBecause = ({ interface: name, coded_reason: why }: Idle): Reason =>
  why === null ? literal(name) : because("interface_because", { interface: name, why });
