import type { KeyboardEvent } from 'react';

/**
 * Target of the focus when the element that has it is removed, such as the button of a deleted row or of a closed dialog.
 * Browsers move it to the body, from where the next press of Tab starts at the top of the page.
 */

/** An element and its ancestors, from the inside out, with the position of each among its siblings. */
type Place = readonly { readonly element: HTMLElement; readonly index: number }[];

const controls = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
/** Elements that have siblings of their kind, one of which can take the focus. */
const repeated = 'tr, li, span, button, a, input';
const dialogs = '[role="dialog"]';

/** Places from which dialogs and menus were opened, by their element. */
const openers = new WeakMap<Element, Place>();

const isShown = (element: HTMLElement): boolean =>
  !element.matches(':disabled') && element.checkVisibility({ visibilityProperty: true });

const controlsIn = (element: Element): HTMLElement[] =>
  [element, ...element.querySelectorAll(controls)].filter(
    (found): found is HTMLElement => found instanceof HTMLElement && found.matches(controls),
  );

const placeOf = (focused: Element | null): Place => {
  const place = [];
  for (let element = focused; element instanceof HTMLElement; element = element.parentElement) {
    place.push({ element, index: [...(element.parentElement?.children ?? [])].indexOf(element) });
  }
  return place;
};

/** Returns whether two controls of different rows are of one kind and, if they are buttons, have one label. */
const isSameControl = (control: HTMLElement, other: HTMLElement): boolean =>
  control.tagName === other.tagName && (control.tagName !== 'BUTTON' || control.textContent === other.textContent);

/** Returns the element that takes the place of a removed one: the same control of the next row, or a heading. */
const findTarget = (place: Place): HTMLElement | undefined => {
  const remaining = place.findIndex(({ element }) => element.isConnected);
  const [focused, ancestor, removed] = [place[0], place[remaining], place[remaining - 1]];
  if (focused === undefined || ancestor === undefined) return undefined;
  if (removed === undefined && focused.element.matches(controls) && isShown(focused.element)) return focused.element;
  const opener = place.slice(0, remaining).flatMap(({ element }) => openers.get(element) ?? []);
  if (opener.length > 0) return findTarget(opener);
  if (removed?.element.matches(repeated)) {
    const siblings = [...ancestor.element.children];
    const nearest = [...siblings.slice(removed.index), ...siblings.slice(0, removed.index).reverse()];
    const row = nearest.map((sibling) => controlsIn(sibling).filter(isShown)).find(({ length }) => length > 0);
    const same = row?.find((control) => isSameControl(control, focused.element));
    // A different action of the next row could be started by mistake.
    const target = same ?? (removed.element.matches('tr') ? undefined : row?.[0]);
    if (target !== undefined) return target;
  }
  for (const { element } of place.slice(remaining)) {
    const heading = element.querySelector<HTMLElement>('h1, h2, h3');
    if (heading !== null) return heading;
  }
  return undefined;
};

/** Moves the focus to an element, which can be a heading. */
const focusOn = (element: HTMLElement): void => {
  if (!element.matches(controls)) element.tabIndex = -1;
  element.focus({ preventScroll: true });
};

/** Returns a function for the `ref` of a dialog that is about to open. When it closes, the focus returns to its opener. */
export const rememberOpener = (): ((dialog: HTMLElement | null) => void) => {
  const place = placeOf(document.activeElement);
  return (dialog) => {
    if (dialog !== null) openers.set(dialog, place);
  };
};

/** Moves the focus to the heading of the page, unless a field of the page has taken it. */
export const focusHeading = (): void => {
  const heading = document.querySelector<HTMLElement>('main h1');
  if (heading !== null && !document.activeElement?.matches('main input')) focusOn(heading);
};

/** Keeps the focus near an element that is removed while it has the focus. Called once. */
export const keepFocus = (): void => {
  let place: Place = [];
  // A dialog has the focus itself when the control that had it was removed.
  const isLost = () => document.activeElement === document.body || document.activeElement?.matches(dialogs) === true;
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement) || target.matches(dialogs)) return;
    place = placeOf(target);
    const menu = target.closest('[role="menu"]');
    const trigger = document.getElementById(menu?.getAttribute('aria-labelledby') ?? '');
    if (menu !== null && trigger !== null) openers.set(menu, placeOf(trigger));
  });
  document.addEventListener('focusout', ({ target }) => {
    setTimeout(() => {
      // The user has left the element for none, such as by a click on the page.
      if (place[0]?.element === target && place[0].element.isConnected && isLost()) place = [];
    });
  });
  const restore = () => {
    if (!isLost() || place[0]?.element.isConnected !== false) return;
    const target = findTarget(place);
    const dialog = [...document.querySelectorAll(dialogs)].at(-1);
    if (target !== undefined && (dialog === undefined || dialog.contains(target))) focusOn(target);
  };
  new MutationObserver(() => {
    // What has just been rendered may take the focus itself.
    if (isLost() && place[0]?.element.isConnected === false) setTimeout(restore);
  }).observe(document.body, { childList: true, subtree: true });
};

/** Moves the focus from a link to the former or the next one in a container of which only one link is a Tab stop. */
export const moveFocus = ({ key, currentTarget }: KeyboardEvent<HTMLAnchorElement>, container: string): void => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (step === undefined) return;
  const links = [...(currentTarget.closest(container)?.querySelectorAll('a') ?? [])];
  links[links.indexOf(currentTarget) + step]?.focus();
};
