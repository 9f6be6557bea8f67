import type { KeyboardEvent } from 'react';

/**
 * Moves the focus among the links of a list, of which one is a Tab stop.
 * @param sideways elements that the arrows to the sides move by. The other arrows move by one.
 */
export const moveAmong = (event: KeyboardEvent<HTMLElement>, sideways: number): void => {
  const steps: Readonly<Record<string, number>> = {
    ArrowUp: -1,
    ArrowDown: 1,
    ArrowLeft: -sideways,
    ArrowRight: sideways,
  };
  const step = steps[event.key];
  const { target, currentTarget } = event;
  if (step === undefined || !(target instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  const links = [...currentTarget.children].map((child) => child.querySelector('a'));
  const from = links.indexOf(target);
  // Elements without a link are passed over.
  for (let index = from + step; index >= 0 && index < links.length; index += Math.sign(step)) {
    const next = links[index];
    if (next === null || next === undefined) continue;
    target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
    return;
  }
};
