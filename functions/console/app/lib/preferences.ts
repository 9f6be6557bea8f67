import { createPreference } from './store.ts';

/** Choices of the user for this browser. None of them is secret. */
export const theme = createPreference('theme', ['system', 'light', 'dark'], 'system');
export const timeFormat = createPreference('times', ['relative', 'exact'], 'relative');
/** Shortcuts of one letter can be switched off, because they conflict with speech input. */
export const letterShortcuts = createPreference('shortcuts', ['on', 'off'], 'on');

/** Applies the theme to the page, now and whenever it changes. */
export const applyTheme = (): void => {
  const apply = (): void => {
    const chosen = theme.get();
    if (chosen === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = chosen;
  };
  apply();
  theme.subscribe(apply);
};
