import { createPreference } from './store.ts';

/** Choices of the user for this browser. None of them is secret. */
export const theme = createPreference('theme', ['system', 'light', 'dark'], 'system');
export const timeFormat = createPreference('times', ['relative', 'exact'], 'relative');
/** Heights of rows and controls. Fingers need the same room with either. */
export const density = createPreference('density', ['comfortable', 'compact'], 'comfortable');
/** Whether the entries of a history show all details. */
export const historyDetails = createPreference('history', ['folded', 'open'], 'folded');
/** Shortcuts of one letter can be switched off, because they conflict with speech input. */
export const letterShortcuts = createPreference('shortcuts', ['on', 'off'], 'on');

/** Applies the theme and the density to the page, now and whenever they change. */
export const applyDisplay = (): void => {
  const apply = (): void => {
    // Style sheets have the defaults.
    Object.assign(document.documentElement.dataset, { theme: theme.get(), density: density.get() });
  };
  apply();
  theme.subscribe(apply);
  density.subscribe(apply);
};
