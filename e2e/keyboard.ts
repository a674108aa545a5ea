import type { Page } from "playwright-core";

/**
 * Walks through a page with the Tab key, and with the arrow keys through groups that have a single tab stop (tabs,
 * radio buttons). Returns the controls that were not reached.
 */
export async function unreachable(page: Page): Promise<string[]> {
  const max = await page.evaluate(collectControls);
  let [reached, first] = [0, -2];
  // A time field has several tab stops, and the browser's own toolbar has one.
  for (let step = 0; step < 3 * max + 40 && reached < max; step += 1) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(noteFocus);
    reached = at.reached;
    if (first === -2 && at.index >= 0) first = at.index;
    else if (at.index === first && at.isNew === false && step > max) break;
  }
  for (const group of await page.evaluate(arrowGroups)) {
    await page.evaluate(focusMember, group.entry);
    for (let step = 0; step < group.size; step += 1) {
      await page.keyboard.press(group.key);
      await page.evaluate(noteFocus);
    }
  }
  return page.evaluate(leftOut);
}

interface Walk {
  readonly controls: HTMLElement[];
  readonly reached: Set<HTMLElement>;
}
declare global {
  interface Window {
    walk: Walk;
  }
}

/** Every control that is visible now. Returns how many of them Tab must reach. */
function collectControls(): number {
  const natural = "a[href], button, input, select, textarea, summary";
  const roles = ["button", "link", "tab", "switch", "checkbox", "radio", "combobox", "slider", "menuitem", "option"];
  const selector = [natural, ...roles.map((role) => `[role=${role}]`), "[tabindex='0']"].join(", ");
  const controls = [...document.querySelectorAll<HTMLElement>(selector)].filter(
    (it) =>
      it.checkVisibility({ visibilityProperty: true }) &&
      !it.matches(":disabled") &&
      it.closest("[inert], [aria-hidden=true], [data-focus-trap]") === null &&
      // For screen readers, which have no Escape key; the keyboard has one.
      !it.matches("[data-dialog-hidden-dismiss]") &&
      !(it instanceof HTMLInputElement && it.type === "hidden"),
  );
  window.walk = { controls, reached: new Set() };
  return controls.filter((it) => it.tabIndex >= 0).length;
}

function noteFocus(): { readonly index: number; readonly isNew: boolean; readonly reached: number } {
  const { controls, reached } = window.walk;
  const at = document.activeElement as HTMLElement;
  const index = controls.indexOf(at);
  const isNew = index >= 0 && !reached.has(at);
  if (index >= 0) reached.add(at);
  return { index, isNew, reached: reached.size };
}

/** Groups of which one member was reached and others were not: the arrow keys continue from there. */
function arrowGroups(): { readonly entry: number; readonly size: number; readonly key: string }[] {
  const { controls, reached } = window.walk;
  const groups = new Map<unknown, HTMLElement[]>();
  for (const it of controls) {
    const isRadio = it instanceof HTMLInputElement && it.type === "radio";
    const group = isRadio ? `radio ${it.name}` : it.closest("[role=tablist], [role=radiogroup], [role=toolbar]");
    if (group !== null) groups.set(group, [...(groups.get(group) ?? []), it]);
  }
  return [...groups.values()]
    .filter((members) => members.some((it) => reached.has(it)) && members.some((it) => !reached.has(it)))
    .map((members) => ({
      entry: controls.indexOf(members.find((it) => reached.has(it))!),
      size: members.length,
      key: members[0]!.closest("[aria-orientation=vertical]") ? "ArrowDown" : "ArrowRight",
    }));
}

const focusMember = (index: number): void => window.walk.controls[index]!.focus();

/** A control that disappeared meanwhile does not count as missed. */
function leftOut(): string[] {
  const { controls, reached } = window.walk;
  return controls
    .filter((it) => !reached.has(it) && it.isConnected && it.checkVisibility({ visibilityProperty: true }))
    .map((it) => it.outerHTML.slice(0, 160));
}
