/** Everything that was published, at one revision: kind → resources. */
export type Intent = Readonly<Record<string, readonly { readonly id: string }[]>>;

/** What every engine should look like, as data: one field per engine. The first ones move in with the policies. */
export type Desired = Readonly<Record<never, never>>;

/** Something the compiler noticed. It never throws. */
export interface Finding {
  readonly resource: string;
  readonly message: string;
}

/** The whole gateway as one pure function: what was asked → what each engine should be. */
export function compile(_intent: Intent): { desired: Desired; findings: Finding[] } {
  return { desired: {}, findings: [] };
}
