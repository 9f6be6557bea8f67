import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { PATIENCE } from './console.ts';

/** Describes an element that has the focus without showing it; undefined if the user sees the focus. */
const findInvisibleFocus = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return 'The focus is lost.';
    const { outlineStyle, outlineWidth, visibility } = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    const hasOutline = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
    // Headings that get the focus with a new page are no controls: they show no outline.
    const isShown = hasOutline || element.matches('h1, h2, h3');
    const isVisible = isShown && visibility === 'visible' && width > 0 && height > 0;
    return isVisible ? undefined : element.outerHTML.slice(0, 200);
  });

/** Most presses of Tab from one control to another on a page. */
const MOST_PRESSES = 80;

/** Uses a page by keyboard alone. After each action, something has the focus and shows it. */
export interface Keyboard {
  /** Presses Tab for the first time, after an element is there. */
  readonly start: (target: Locator) => Promise<void>;
  readonly press: (key: string) => Promise<void>;
  readonly type: (text: string) => Promise<void>;
  /** Presses Tab, or Shift+Tab for `backwards`, until an element has the focus. */
  readonly tabTo: (target: Locator, direction?: 'forwards' | 'backwards') => Promise<void>;
  /** Presses Tab until an element has the focus, and then Enter as soon as it can be used. */
  readonly activate: (target: Locator, direction?: 'forwards' | 'backwards') => Promise<void>;
  /** Opens a menu, and chooses an entry of it with the arrow keys. */
  readonly choose: (menu: Locator, entry: string) => Promise<void>;
  /** Expects that an element gets the focus without a press of Tab. */
  readonly expectFocus: (target: Locator) => Promise<void>;
}

/** Returns the keyboard of a page. */
export const keyboardOf = (page: Page): Keyboard => {
  const expectVisible = () => expect.poll(() => findInvisibleFocus(page), { timeout: PATIENCE }).toBeUndefined();
  const isFocused = (target: Locator) => target.evaluate((element) => element === document.activeElement);
  // What the former action has changed may be rendered after it: the focus is checked again before the next one.
  const press = async (key: string) => {
    await expectVisible();
    await page.keyboard.press(key);
    await expectVisible();
  };
  const tabTo: Keyboard['tabTo'] = async (target, direction = 'forwards') => {
    await target.waitFor();
    await expectVisible();
    for (let presses = 0; !(await isFocused(target)); presses += 1) {
      if (presses > MOST_PRESSES) throw new Error(`Tab does not reach ${target}`);
      await page.keyboard.press(direction === 'forwards' ? 'Tab' : 'Shift+Tab');
    }
    await expectVisible();
  };
  const activate: Keyboard['activate'] = async (target, direction) => {
    await tabTo(target, direction);
    // Buttons keep the focus while they cannot be used, such as until the typed name was found.
    await expect.poll(() => target.getAttribute('aria-disabled'), { timeout: PATIENCE }).not.toBe('true');
    await press('Enter');
  };
  return {
    start: async (target) => {
      await target.waitFor();
      await page.keyboard.press('Tab');
    },
    press,
    type: (text) => page.keyboard.type(text),
    tabTo,
    activate,
    choose: async (menu, entry) => {
      await activate(menu);
      const target = page.getByRole('menuitem', { name: entry, exact: true });
      const entries = page.getByRole('menuitem');
      await expect.poll(() => isFocused(entries.first()), { timeout: PATIENCE }).toBe(true);
      for (let presses = 0; !(await isFocused(target)); presses += 1) {
        if (presses > (await entries.count())) throw new Error(`The arrow keys do not reach ${target}`);
        await press('ArrowDown');
      }
      await press('Enter');
    },
    expectFocus: async (target) => {
      await target.waitFor();
      await expect.poll(() => isFocused(target), { timeout: PATIENCE, message: `${target}` }).toBe(true);
      await expectVisible();
    },
  };
};
