/** What must hold before a release, as it is in a checkout. */
export interface CheckoutState {
  readonly version: string;
  /** Lines of `git status --porcelain`. */
  readonly changed: readonly string[];
  readonly tags: readonly string[];
  readonly changelog: string;
  readonly staleParts: readonly string[];
  /** Records of the proof that show a broken invariant. */
  readonly brokenParts: readonly string[];
}

/** The reasons against a release. */
export function obstacles(state: CheckoutState): string[] {
  const { version, changed, tags, changelog, staleParts, brokenParts } = state;
  const heading = `## [${version}] - `;
  return [
    ...(changed.length > 0
      ? [`${changed.length} files differ from the commit: ${changed.slice(0, 5).join(", ")}`]
      : []),
    ...(tags.includes(tagOf(version)) ? [`the tag ${tagOf(version)} exists: raise the version`] : []),
    ...(changelog.includes(`\n${heading}`) ? [] : [`CHANGELOG.md has no heading "${heading}DATE"`]),
    ...(brokenParts.length > 0 ? [`records of the proof show broken invariants: ${brokenParts.join(", ")}`] : []),
    ...(staleParts.length > 0 ? [`parts of the proof are stale: ${staleParts.join(", ")}`] : []),
  ];
}

export const tagOf = (version: string): string => `v${version}`;
